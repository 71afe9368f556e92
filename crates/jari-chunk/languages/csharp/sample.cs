// A sample: what each kind of definition becomes.
using System;
using System.Collections.Generic;
using static System.Math;

[assembly: CLSCompliant(true)]

namespace Example.Pools
{
    /// <summary>Tells of a closed connection.</summary>
    public delegate void Listener<T>(T connection);

    /// <summary>
    /// A pool of connections.
    /// </summary>
    [Serializable]
    [DebuggerDisplay("Pool {Size}")]
    public sealed class Pool<T> : Store, IDisposable where T : IConnection
    {
        public const int Limit = 3;

        /// <summary>Those that nobody uses.</summary>
        [NonSerialized]
        private readonly Queue<T> free = new Queue<T>();

        public event Listener<T> Closed;

        /// <summary>How many are free.</summary>
        public int Size => free.Count;

        public string Name { get; set; } = "pool";

        public Pool(string name) : base(name)
        {
            Name = name;
        }

        /// <summary>Takes a connection out of the pool.</summary>
        [Obsolete("use TakeAsync")]
        public T Take(int wait)
        {
            var connection = free.Dequeue();
            Action<string> log = text => Console.WriteLine(text);
            void Inner() => log("inner");
            Inner();
            return connection;
        }

        internal bool IsEmpty() => free.Count == 0;

        public T this[int index] => Take(index);

        public static bool operator ==(Pool<T> a, Pool<T> b) => Equals(a, b);

        private class Entry
        {
            public string Key;
        }
    }

    /// <summary>What a connection can do.</summary>
    public interface IConnection
    {
        int Id { get; }

        /// <summary>Sends bytes.</summary>
        int Send(byte[] bytes);
    }

    public record Pair<K, V>(K Key, V Value);

    public struct Point
    {
        public int X, Y;
    }

    /// <summary>What it does.</summary>
    public enum State
    {
        Free,
        /// <summary>In use.</summary>
        Busy = 2,
    }

    public static class Retry
    {
        /// <summary>Tries three times.</summary>
        public static bool WithBackoff(this Func<bool> send)
        {
            for (var i = 0; i < Pool<IConnection>.Limit; i++)
            {
                if (send()) return true;
            }
            return false;
        }
    }
}

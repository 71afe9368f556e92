// A sample: what each kind of definition becomes.
library pool;

import 'dart:async';
import 'package:meta/meta.dart' as meta show required;
export 'src/connection.dart';
part 'pool.g.dart';

/// How many connections there may be.
const limit = 3;
final String _name = 'pool';
int counter = 0;

typedef Listener<T> = void Function(T connection);

/// A pool of connections.
///
/// Hands out the oldest one first.
@immutable
@JsonSerializable(explicitToJson: true)
class Pool<T extends Connection> extends Store with Logging implements Closable {
  static const int width = 4;

  /// Those that nobody uses.
  @protected
  final List<T> _free;
  late String name;

  /// Makes a pool.
  Pool(this._free, {required this.name}) : super('pool');

  const Pool.empty() : _free = const [];

  factory Pool.of(T connection) {
    return Pool([connection], name: 'one');
  }

  /// How many are free.
  int get size => _free.length;

  set title(String value) {
    name = value;
  }

  /// Takes a connection out of the pool.
  @override
  Future<T?> take(Duration wait) async {
    final connection = _free.removeLast();
    final log = (String text) => print(text);
    await Future.delayed(wait);
    log('taken').toString();
    return connection;
  }

  bool isEmpty() => _free.isEmpty;

  @override
  bool operator ==(Object other) => other is Pool;
}

/// What a connection can do.
abstract class Connection {
  int get id;

  /// Sends bytes.
  int send(List<int> bytes);
}

mixin Logging on Store {
  void log(String text) {
    print(text);
  }
}

/// What it does.
enum State {
  free,
  /// In use.
  busy;

  String label() => name;
}

extension Shouting on String {
  /// Louder.
  String shout() => toUpperCase();
}

/// Tries three times.
@visibleForTesting
bool withBackoff(bool Function() send) {
  const step = 1;
  for (var i = 0; i < limit; i += step) {
    if (send()) return true;
  }
  return false;
}

String get version => '1.0';

<?php
// A sample: what each kind of definition becomes.

declare(strict_types=1);

namespace Example\Pools;

use Psr\Log\LoggerInterface;
use Example\{Socket, Store as BaseStore};
use function array_map;

require_once 'bootstrap.php';

/** How many connections there may be. */
const LIMIT = 3;

define('WIDTH', 4);

/**
 * A pool of connections.
 *
 * Hands out the oldest one first.
 */
#[Service('pool')]
final class Pool extends BaseStore implements \Countable, Closable
{
    use Logging;

    public const NAME = 'pool';

    /** @var Connection[] Those that nobody uses. */
    #[Inject]
    private array $free = [];

    protected static ?Pool $shared = null;

    public function __construct(private readonly LoggerInterface $logger)
    {
        parent::__construct();
    }

    /**
     * Takes a connection out of the pool.
     */
    #[Traced]
    public function take(int $wait = 0): ?Connection
    {
        $connection = array_pop($this->free);
        $log = function (string $text): void {
            $this->logger?->info($text);
        };
        $log(sprintf('%d', $wait));
        return $connection ?? new Connection();
    }

    public function count(): int
    {
        return count($this->free);
    }

    private static function shared(): static
    {
        return self::$shared ??= new static(Socket::open());
    }
}

/** What a connection can do. */
interface Connectable
{
    /** Sends bytes. */
    public function send(string $bytes): int;
}

trait Logging
{
    abstract protected function log(string $text): void;
}

/** What it does. */
enum State: string
{
    case Free = 'f';
    // In use.
    case Busy = 'b';

    public function label(): string
    {
        return ucfirst($this->name);
    }
}

/** Tries three times. */
function with_backoff(callable $send): bool
{
    for ($i = 0; $i < LIMIT; $i++) {
        if ($send()) {
            return true;
        }
    }
    return false;
}

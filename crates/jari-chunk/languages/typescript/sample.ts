/** A sample: what each kind of definition becomes. */

import type { Socket } from "node:net";
import { EventEmitter } from "node:events";
import fs = require("fs");

/** How many connections there may be. */
export const LIMIT: number = 3;

/** What a connection can do. */
export interface Connection extends Closable {
  readonly id: number;
  /** Sends bytes. */
  send(bytes: Uint8Array): Promise<void>;
}

export type Listener<T> = (event: T) => void;

export enum State {
  Free,
  Busy = "busy",
}

export abstract class Store<T> {
  protected abstract load(): T;
}

/**
 * A pool of connections.
 */
@Injectable({ scope: "app" })
export class Pool extends Store<Connection> implements Closable {
  private free: Connection[] = [];

  @Input()
  name = "pool";

  constructor(
    private readonly socket: Socket,
    emitter: EventEmitter,
  ) {
    super();
  }

  /** Takes a connection out of the pool. */
  @Traced("take")
  async take(wait?: number): Promise<Connection | undefined> {
    const connection = this.free.pop();
    const log = (text: string): void => console.log(text);
    log(`${wait}`);
    return connection;
  }

  get size(): number {
    return this.free.length;
  }

  onClose = (event: CloseEvent): void => {
    this.free = [];
  };
}

export function parse(text: string): State;
export function parse(text: string, strict?: boolean): State {
  if (strict) {
    throw new TypeError(text);
  }
  return State[text as keyof typeof State];
}

export const add = <T extends number>(a: T, b: T): number => a + b;

/** Things to try again with. */
export namespace retry {
  /** Tries three times. */
  export async function withBackoff(send: () => Promise<boolean>): Promise<boolean> {
    for (let i = 0; i < LIMIT; i++) {
      if (await send()) return true;
    }
    return false;
  }
}

declare module "pool" {
  function connect(url: string): Pool;
}

declare const VERSION: string;

export default class extends Pool {
  reset(): void {}
}

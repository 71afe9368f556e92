// A sample: what each kind of definition becomes.

import { readFile } from "node:fs/promises";
const path = require("path");

export const LIMIT = 3;

/**
 * A pool of connections.
 */
export class Pool extends Store {
  static #count = 0;
  size = LIMIT;

  constructor(free) {
    super();
    this.free = free;
  }

  /** Takes a connection out of the pool. */
  async take() {
    const connection = this.free.pop();
    const log = (text) => console.log(text);
    log(path.join("pool", connection.id));
    return connection;
  }

  // Bound, so that it can be a listener.
  onClose = (event) => {
    event.preventDefault();
    this.free = [];
    this.size = 0;
  };
}

function tiny() {}

/** Tries three times. */
export async function withBackoff(send) {
  for (let i = 0; i < LIMIT; i++) {
    if (await send()) return true;
  }
  return false;
}

// Adds two numbers.
export const add = (a, b) => a + b;

const Badge = function ({ name }) {
  const label = name.trim();
  return <Label text={label} />;
};

/** Ways to greet. */
export const greetings = {
  hello(name) {
    return `Hello ${name}`;
  },
  goodbye: function (name) {
    const words = ["Goodbye", name];
    greetings.hello(name);
    return words.join(" ");
  },
};

/** Kept for those who call it the old way. */
Pool.prototype.size = function () {
  return this.free.length;
};

exports.parse = function parse(text) {
  return JSON.parse(text);
};

module.exports.VERSION = "1.0";

describe("a pool", () => {
  const local = new Pool([]);
  it("is empty", () => expect(local.size).toBe(0));
});

export { tiny } from "./tiny.js";

export default (file) => readFile(file);

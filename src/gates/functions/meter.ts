// A metered module computes what the module itself computes; it only counts, and calls `tick` when its fuel is used up.
// The count depends on what is computed alone: the same calls use the same fuel on every machine.
// No path through the module runs for ever without a `tick`: every loop and every function checks the fuel.

/** Where a metered module imports `tick` from, and the global that it exports: what is left of its fuel. */
export const METER_IMPORT = "meter";
export const FUEL_EXPORT = "meter_fuel";

/** A module begins with it, so that starting it ticks nothing. */
const MAX_FUEL = 2 ** 31 - 1;

const SECTION = { type: 1, import: 2, function: 3, global: 6, export: 7, start: 8, element: 9, code: 10 };
const FUNCTION_KIND = 0;
const OP = { loop: 0x03, if: 0x04, else: 0x05, end: 0x0b, call: 0x10, refFunc: 0xd2, bulk: 0xfc };
/** After these another instruction than the next one may follow, or the next one may be reached from elsewhere. */
const ENDS_SEGMENT = new Set([0x00, 0x03, 0x04, 0x05, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f]);

/** These only say where something begins or ends: block, loop, else, end, nop. An interpreter's dispatch has hundreds of them. */
const IS_FREE = new Set([0x01, 0x02, 0x03, 0x05, 0x0b]);

/** Reads the binary form of a module. */
class Reader {
  readonly bytes: Uint8Array;
  at: number;
  readonly end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined || this.at >= this.end) throw new Error("the WebAssembly module is cut off");
    this.at += 1;
    return byte;
  }

  /** An unsigned LEB128 number of at most 32 bits. */
  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  /** Passes one LEB128 number of any size. */
  skipNumber(): void {
    while (this.byte() >= 128);
  }

  skip(count: number): void {
    this.at += count;
  }

  /** Passes a list of numbers with its length. */
  skipNumbers(): void {
    for (let left = this.number(); left > 0; left -= 1) this.skipNumber();
  }

  /** What is left, up to `count` bytes, as a reader of its own. */
  part(count: number): Reader {
    const start = this.at;
    this.at += count;
    return new Reader(this.bytes, start, this.at);
  }
}

class Writer {
  #bytes = new Uint8Array(64);
  #length = 0;

  byte(...bytes: readonly number[]): void {
    this.copy(bytes);
  }

  number(value: number): void {
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) this.byte((left % 128) | 128);
    this.byte(left);
  }

  /** A signed LEB128 number that is not negative. */
  positive(value: number): void {
    let left = value;
    for (; left >= 64; left = Math.floor(left / 128)) this.byte((left % 128) | 128);
    this.byte(left);
  }

  name(text: string): void {
    this.number(text.length);
    this.copy(new TextEncoder().encode(text));
  }

  copy(bytes: ArrayLike<number>): void {
    if (this.#length + bytes.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#length + bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  get result(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

/** What the sections tell that the code needs. */
type Shape = {
  types: number;
  importedFunctions: number;
  globals: number;
  /** The number of parameters of each type, and the type of each function with a body. */
  readonly parameters: number[];
  readonly functionTypes: number[];
};

/**
 * The same module with a count of its work: one unit of fuel for each instruction, charged by basic block, and one for each
 * 8 bytes that a bulk instruction copies or fills. A module that uses what is not known here (exceptions, vectors, tail
 * calls) is refused: it is better not run than not counted.
 * @throws Error
 */
export function meterModule(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = new Reader(module);
  const out = new Writer();
  out.copy(module.subarray(0, 8));
  reader.skip(8);
  const shape: Shape = { types: 0, importedFunctions: 0, globals: 0, parameters: [], functionTypes: [] };
  while (reader.at < reader.end) {
    const id = reader.byte();
    const length = reader.number();
    const content = rewriteSection(id, reader.part(length), shape);
    out.byte(id);
    out.number(content.length);
    out.copy(content);
  }
  if (shape.importedFunctions === 0 || shape.globals === 0)
    throw new Error("only a module with imports and globals of its own can be metered");
  return new Uint8Array(out.result);
}

function rewriteSection(id: number, section: Reader, shape: Shape): Uint8Array {
  const out = new Writer();
  const rest = () => out.copy(section.bytes.subarray(section.at, section.end));
  if (id === SECTION.type) {
    shape.types = section.number();
    const start = section.at;
    for (let index = 0; index < shape.types; index += 1) shape.parameters.push(readParameters(section));
    out.number(shape.types + 1);
    out.copy(section.bytes.subarray(start, section.end));
    out.byte(0x60, 0, 0); // the type of tick: nothing to nothing
  } else if (id === SECTION.import) {
    const count = section.number();
    const start = section.at;
    for (let index = 0; index < count; index += 1) readImport(section, shape);
    out.number(count + 1);
    out.copy(section.bytes.subarray(start, section.end));
    out.name(METER_IMPORT);
    out.name("tick");
    out.byte(FUNCTION_KIND);
    out.number(shape.types);
  } else if (id === SECTION.function) {
    const copy = new Reader(section.bytes, section.at, section.end);
    for (let left = copy.number(); left > 0; left -= 1) shape.functionTypes.push(copy.number());
    rest();
  } else if (id === SECTION.global) {
    shape.globals += section.number();
    out.number(shape.globals + 1);
    rest();
    out.byte(0x7f, 1, 0x41); // a mutable 32-bit integer
    out.positive(MAX_FUEL);
    out.byte(OP.end);
  } else if (id === SECTION.export) rewriteExports(section, out, shape);
  else if (id === SECTION.start) out.number(shiftIndex(section.number(), shape));
  else if (id === SECTION.element) rewriteElements(section, out, shape);
  else if (id === SECTION.code) {
    const count = section.number();
    out.number(count);
    for (let index = 0; index < count; index += 1) {
      const length = section.number();
      const type = shape.functionTypes[index] ?? -1;
      const body = rewriteBody(section.part(length), shape, shape.parameters[type] ?? 0);
      out.number(body.length);
      out.copy(body);
    }
  } else rest();
  return out.result;
}

function readParameters(section: Reader): number {
  if (section.byte() !== 0x60) throw new Error("the module has a type that is not a function's");
  const count = section.number();
  section.skip(count);
  section.skip(section.number());
  return count;
}

function readImport(section: Reader, shape: Shape): void {
  section.skip(section.number());
  section.skip(section.number());
  const kind = section.byte();
  if (kind === FUNCTION_KIND) {
    section.number();
    shape.importedFunctions += 1;
  } else if (kind === 2) {
    const hasMost = section.byte() & 1;
    section.number();
    if (hasMost) section.number();
  } else throw new Error(`the module imports something unknown (kind ${kind})`);
}

/** `tick` comes behind the imported functions, so that the module's own ones move by one. */
function shiftIndex(index: number, { importedFunctions }: Shape): number {
  return index < importedFunctions ? index : index + 1;
}

function rewriteExports(section: Reader, out: Writer, shape: Shape): void {
  const count = section.number();
  out.number(count + 1);
  for (let index = 0; index < count; index += 1) {
    const start = section.at;
    section.skip(section.number());
    const kind = section.byte();
    out.copy(section.bytes.subarray(start, section.at));
    const target = section.number();
    out.number(kind === FUNCTION_KIND ? shiftIndex(target, shape) : target);
  }
  out.name(FUEL_EXPORT);
  out.byte(3);
  out.number(shape.globals);
}

function rewriteElements(section: Reader, out: Writer, shape: Shape): void {
  const count = section.number();
  out.number(count);
  for (let index = 0; index < count; index += 1) {
    const flags = section.number();
    if (flags !== 0) throw new Error(`the module has an unknown kind of table (${flags})`);
    out.number(flags);
    const start = section.at;
    if (section.byte() !== 0x41) throw new Error("the module has a table at an unknown place");
    section.skipNumber();
    section.byte();
    const length = section.number();
    out.copy(section.bytes.subarray(start, section.at));
    for (let left = length; left > 0; left -= 1) out.number(shiftIndex(section.number(), shape));
  }
}

/** A stretch of instructions that run one after the other, and whether a loop or the function begins with it. */
type Segment = { readonly code: Writer; count: number; readonly checks: boolean };

function rewriteBody(body: Reader, shape: Shape, parameters: number): Uint8Array {
  const groups = body.number();
  const localsStart = body.at;
  let locals = parameters;
  for (let left = groups; left > 0; left -= 1) {
    locals += body.number();
    body.byte();
  }
  const localsEnd = body.at;
  const out = new Writer();
  // One local more, for the length of a bulk instruction.
  out.number(groups + 1);
  out.copy(body.bytes.subarray(localsStart, localsEnd));
  out.byte(1, 0x7f);
  let segment: Segment = { code: new Writer(), count: 0, checks: true };
  while (body.at < body.end) {
    const start = body.at;
    const op = body.byte();
    if (!IS_FREE.has(op)) segment.count += 1;
    if (op === OP.call || op === OP.refFunc) {
      segment.code.byte(op);
      segment.code.number(shiftIndex(body.number(), shape));
    } else {
      const measured = skipImmediates(body, op);
      if (measured) segment.code.byte(0x22, ...encodeInteger(locals));
      segment.code.copy(body.bytes.subarray(start, body.at));
      if (measured) chargeLength(segment.code, shape.globals, locals);
    }
    if (!ENDS_SEGMENT.has(op) && body.at < body.end) continue;
    charge(out, segment, shape);
    segment = { code: new Writer(), count: 0, checks: op === OP.loop };
  }
  return out.result;
}

function encodeInteger(value: number): Uint8Array {
  const writer = new Writer();
  writer.number(value);
  return writer.result;
}

/** Writes a segment behind the charge for its instructions. */
function charge(out: Writer, segment: Segment, { globals, importedFunctions }: Shape): void {
  const fuel = encodeInteger(globals);
  out.byte(0x23, ...fuel, 0x41);
  out.positive(segment.count);
  out.byte(0x6b, 0x24, ...fuel);
  if (segment.checks)
    out.byte(0x23, ...fuel, 0x41, 0, 0x48, OP.if, 0x40, OP.call, ...encodeInteger(importedFunctions), OP.end);
  out.copy(segment.code.result);
}

function chargeLength(code: Writer, globals: number, local: number): void {
  const fuel = encodeInteger(globals);
  code.byte(0x23, ...fuel, 0x20, ...encodeInteger(local), 0x41, 3, 0x76, 0x6b, 0x24, ...fuel);
}

/** Passes what follows an opcode; true for an instruction whose work depends on the length on top of the stack. */
function skipImmediates(body: Reader, op: number): boolean {
  if (op === OP.bulk) return skipBulk(body);
  if (op >= 0x45 && op <= 0xc4) return false;
  if (op >= 0x28 && op <= 0x3e) {
    body.skipNumber();
    body.skipNumber();
  } else if (op === 0x0e) {
    body.skipNumbers();
    body.skipNumber();
  } else if (op === 0x1c) body.skipNumbers();
  else if (op === 0x11) {
    body.skipNumber();
    body.skipNumber();
  } else if (op === 0x43) body.skip(4);
  else if (op === 0x44) body.skip(8);
  else if (HAS_NUMBER.has(op)) body.skipNumber();
  else if (!HAS_NOTHING.has(op)) throw unknownInstruction(op);
  return false;
}

const HAS_NUMBER = new Set([
  0x02, 0x03, 0x04, 0x0c, 0x0d, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0x41, 0x42, 0xd0,
]);
const HAS_NOTHING = new Set([0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1]);

function skipBulk(body: Reader): boolean {
  const op = body.number();
  if (op <= 7) return false;
  if (op === 10) body.skip(2);
  else if (op === 11) body.skip(1);
  else throw unknownInstruction(op);
  return true;
}

function unknownInstruction(op: number): Error {
  return new Error(`the module has an unknown instruction (0x${op.toString(16)})`);
}

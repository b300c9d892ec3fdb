/** SHA-1 of four messages at once: one function of WebAssembly, whose 128 bits of a register are a word of each message. */

import { once } from '../base/once.ts';

/** A row of the memory is a word of each of the four messages. */
export interface Sha1Lanes {
  readonly memory: ArrayBuffer;
  /**
   * Takes one block into the five rows at `STATE`. Each word of a message is one of `prefix` with bits of two rows: those of `rows` and of
   * the row behind it, `shift` bits further right. The row at `LENGTHS` belongs to the last word.
   */
  readonly compress: (rows: number, prefix: number, shift: number) => void;
}

export const ROW_BYTES = 16;
export const LENGTHS = 0;
export const STATE: number = LENGTHS + ROW_BYTES;

/** `undefined` where WebAssembly, its vectors or code that is made at run time are not to be had. */
export function createSha1Lanes(pages: number): Sha1Lanes | undefined {
  try {
    const { memory, compress } = new WebAssembly.Instance(new WebAssembly.Module(assemble(pages))).exports;
    return { memory: memory.buffer, compress };
  } catch {
    return undefined;
  }
}

/** What is used of it: the types of Node.js leave it to those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => {
    readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; readonly compress: Sha1Lanes['compress'] };
  };
};

type Instructions = readonly number[];

/** The sections of a module: types, functions, memories, exports and code. */
function assemble(pages: number): Uint8Array {
  const [i32, v128, ofFunction, ofMemory] = [0x7f, 0x7b, 0, 2];
  const locals = [1, LOCALS, v128];
  const body = [...locals, ...instructions(), END];
  return new Uint8Array([
    ...[...textBytes('\0asm'), 1, 0, 0, 0],
    ...section(1, [0x60, PARAMETERS, ...Array.from({ length: PARAMETERS }, () => i32), 0]),
    ...section(3, [0]),
    ...section(5, [0, ...unsigned(pages)]),
    ...[7, ...sized([2, ...named('memory', ofMemory), ...named('compress', ofFunction)])],
    ...section(10, sized(body)),
  ]);
}

const END = 0x0b;

/** A section with one entry. */
function section(id: number, entry: Instructions): Instructions {
  return [id, ...sized([1, ...entry])];
}

function named(name: string, kind: number): Instructions {
  return [...sized(textBytes(name)), kind, 0];
}

function textBytes(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

function sized(content: Instructions): Instructions {
  return [...unsigned(content.length), ...content];
}

/** LEB128. */
function unsigned(value: number): Instructions {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Instructions {
  return value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

const [ROWS, PREFIX, SHIFT, PARAMETERS] = [0, 1, 2, 3];
/** The locals after the parameters: the last sixteen words of the schedule, the state, the constant of the round, and what is about to be rotated. */
const [WORKING, CONSTANT, ROTATED, LOCALS] = [PARAMETERS + 16, PARAMETERS + 21, PARAMETERS + 22, 23];
const word = (round: number): number => PARAMETERS + (round % 16);

const get = (local: number): Instructions => [0x20, local];
const set = (local: number, value: Instructions): Instructions => [...value, 0x21, local];
const number = (value: number): Instructions => [0x41, ...signed(value)];
const subtract = (a: Instructions, b: Instructions): Instructions => [...a, ...b, 0x6b];

const vector = (operation: number, ...operands: readonly Instructions[]): Instructions => [
  ...operands.flat(),
  0xfd,
  ...unsigned(operation),
];
const atOffset = (operation: number, operands: readonly Instructions[], offset: number): Instructions => [
  ...vector(operation, ...operands),
  ...[0, ...unsigned(offset)],
];
const load = (address: Instructions, offset: number): Instructions => atOffset(0x00, [address], offset);
const loadForAll = (address: Instructions, offset: number): Instructions => atOffset(0x09, [address], offset);
const store = (address: Instructions, offset: number, value: Instructions): Instructions =>
  atOffset(0x0b, [address, value], offset);
const forAll = (value: Instructions): Instructions => vector(0x11, value);
const or = (a: Instructions, b: Instructions): Instructions => vector(0x50, a, b);
const xor = (a: Instructions, b: Instructions): Instructions => vector(0x51, a, b);
/** The bits of `a` where those of `mask` are 1, else those of `b`. */
const choose = (mask: Instructions, a: Instructions, b: Instructions): Instructions => vector(0x52, a, b, mask);
const left = (value: Instructions, bits: Instructions): Instructions => vector(0xab, value, bits);
const right = (value: Instructions, bits: Instructions): Instructions => vector(0xad, value, bits);
const add = (a: Instructions, b: Instructions): Instructions => vector(0xae, a, b);
const rotate = (local: number, bits: number): Instructions =>
  or(left(get(local), number(bits)), right(get(local), number(32 - bits)));

/** Made once: a process that evaluates several plans, as tests do, has a memory of another size for each. */
const instructions = once(compression);

/** FIPS 180-4, section 6.1.2. */
function compression(): Instructions {
  const code: number[] = [];
  const state = [0, 1, 2, 3, 4];
  for (const index of state) code.push(...set(WORKING + index, load(number(STATE), index * ROW_BYTES)));
  for (let round = 0; round < 80; round += 1) {
    const [a, b, c, d, e] = state.map((index) => WORKING + ((index + 80 - round) % 5)) as [
      number,
      number,
      number,
      number,
      number,
    ];
    if (round % 20 === 0) code.push(...set(CONSTANT, forAll(number(CONSTANTS[round / 20] ?? 0))));
    code.push(
      ...(round < 16 ? set(word(round), messageWord(round)) : nextWord(round)),
      ...set(e, add(add(get(e), get(CONSTANT)), add(get(word(round)), add(rotate(a, 5), mixed(round, b, [c, d]))))),
      ...set(b, rotate(b, 30)),
    );
  }
  for (const index of state)
    code.push(
      ...store(number(STATE), index * ROW_BYTES, add(get(WORKING + index), load(number(STATE), index * ROW_BYTES))),
    );
  return code;
}

const CONSTANTS = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc | 0, 0xca62c1d6 | 0];

/** The shift is in two steps, since one by 32 bits does nothing. */
function messageWord(round: number): Instructions {
  const [before, own] = [load(get(ROWS), round * ROW_BYTES), load(get(ROWS), (round + 1) * ROW_BYTES)];
  const shifted = or(left(left(before, subtract(number(24), get(SHIFT))), number(8)), right(own, get(SHIFT)));
  const text = or(loadForAll(get(PREFIX), round * 4), shifted);
  return round === 15 ? or(text, load(number(LENGTHS), 0)) : text;
}

function nextWord(round: number): Instructions {
  const [a, b, c, d] = [3, 8, 14, 16].map((back) => get(word(round - back))) as [
    Instructions,
    Instructions,
    Instructions,
    Instructions,
  ];
  return [...set(ROTATED, xor(xor(a, b), xor(c, d))), ...set(word(round), rotate(ROTATED, 1))];
}

function mixed(round: number, b: number, [c, d]: readonly [number, number]): Instructions {
  if (round < 20) return choose(get(b), get(c), get(d));
  if (round >= 40 && round < 60) return choose(xor(get(b), get(c)), get(d), get(b));
  return xor(xor(get(b), get(c)), get(d));
}

/** Types and strings as TypeScript. */

import { stringifyJson } from '../base/json-text.ts';
import type { ObjectType, Type } from './type.ts';

/** `indent`: the spaces before the line that the type begins on. */
export function writeType(type: Type, indent: number): string {
  switch (type.kind) {
    case 'array':
      return `readonly ${writeElements(type.elements ?? { kind: 'unknown' }, indent)}[]`;
    case 'object':
      return writeObject(type, indent);
    case 'union':
      return type.types.length === 0 ? 'never' : type.types.map((one) => writeType(one, indent)).join(' | ');
    case 'literal':
      return typeof type.value === 'string' ? writeString(type.value) : String(type.value);
    case 'unknown':
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type.kind;
  }
}

function writeElements(elements: Type, indent: number): string {
  const text = writeType(elements, indent);
  return elements.kind === 'union' || elements.kind === 'array' ? `(${text})` : text;
}

function writeObject({ members, rest = { kind: 'unknown' } }: ObjectType, indent: number): string {
  if (members.size === 0) return `{ readonly [name: string]: ${writeType(rest, indent)} }`;
  const before = ' '.repeat(indent);
  const lines = [...members].map(([name, { type, optional }]) => {
    // An object without such a member inherits another: `constructor`.
    const own = optional && Object.hasOwn(Object.prototype, name) ? 'unknown' : writeType(type, indent + 2);
    return `${before}  readonly ${writeName(name)}${optional ? '?' : ''}: ${own};\n`;
  });
  return `{\n${lines.join('')}${isWeak(members, rest) ? `${before}  readonly [name: string]: unknown;\n` : ''}${before}}`;
}

/** TypeScript refuses an object that has other members than a type whose members are all optional. */
function isWeak(members: ObjectType['members'], rest: Type): boolean {
  const isClosed = rest.kind === 'union' && rest.types.length === 0;
  return !isClosed && [...members.values()].every(({ optional }) => optional);
}

/** The name of a member. */
export function writeName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : writeString(name);
}

/** A string literal that shows every character of the string. */
export function writeString(text: string): string {
  const inner = stringifyJson(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escapeInvisible(inner)}'`;
}

/** A comment of documentation above a declaration. It cannot end early, and no line of it is a tag. */
export function writeComment(paragraphs: readonly string[], indent: number): string {
  const before = ' '.repeat(indent);
  const lines = paragraphs
    .flatMap((paragraph) => paragraph.split(/\r\n?|[\n\u2028\u2029\u0085]/))
    .map((line) => escapeInvisible(line.trim().replaceAll('*/', '*\\/').replace(/^@/, '\\@')))
    .filter((line) => line !== '');
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${before}/** ${lines[0]} */\n`;
  return `${before}/**\n${lines.map((line) => `${before} * ${line}\n`).join('')}${before} */\n`;
}

/** Control characters, and those that hide or reorder the text around them, by their codes. */
function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** No name that is data reads what every object inherits: code reads a member by such a name only where the object itself has it. */

import path from 'node:path';
import { API, TypeFlags, type Checker, type Type } from 'typescript/unstable/sync';
import {
  SyntaxKind,
  type ElementAccessExpression,
  type Expression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import { isBinaryExpression, isCallExpression, isElementAccessExpression } from 'typescript/unstable/ast/is';
import type { FileSystem } from 'typescript/unstable/fs';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

it('reads and writes members by a name that is data only through `memberOf` and `setMember`, or where the object has it', () => {
  expect(unguardedIn(path.join(root, 'tsconfig.json'))).toEqual([]);
});

const FORBIDDEN = [
  'table[name]',
  'table[name.trim()]',
  'table?.[`a${name}`]',
  '(table[name] = name)',
  'table[unknown as string]',
  'name in table',
  'table[name.charAt(1)]',
  '(({ [name]: found }: Table) => found)(table)',
  'Object.hasOwn(other, name) ? table[name] : undefined',
  'Object.keys(other).map((key) => table[key])',
];

const PERMITTED = [
  'Object.hasOwn(table, name) ? table[name] : undefined',
  'Object.keys(table).map((key) => table[key])',
  'table[known]',
  'table[String(number)]',
  'Object.values(table)[number]',
];

it('notices each form of an unguarded look-up, and no other', () => {
  const types = "table: Table, other: Table, name: string, unknown: unknown, known: 'a' | 'b', number: number";
  const files = new Map([
    [
      '/tsconfig.json',
      '{ "compilerOptions": { "lib": ["es2023"], "types": [], "strict": true }, "include": ["*.ts"] }',
    ],
    ...[...FORBIDDEN, ...PERMITTED].map((expression, index): [string, string] => [
      `/${String(index).padStart(2, '0')}.ts`,
      `type Table = Record<string, string>;\nexport const look = (${types}): unknown =>\n${expression};`,
    ]),
  ]);
  expect(unguardedIn('/tsconfig.json', files).map((line) => line.slice(line.indexOf(': ') + 2, -1))).toEqual(FORBIDDEN);
});

/** `file:line: code`. */
function unguardedIn(config: string, files?: ReadonlyMap<string, string>): string[] {
  const api = new API({ cwd: root, ...(files === undefined ? {} : { fs: inMemory(files) }) });
  try {
    return findUnguarded(api, config);
  } finally {
    api.close();
  }
}

/** In the root folder, beside the files of the compiler. */
function inMemory(files: ReadonlyMap<string, string>): FileSystem {
  return {
    readFile: (name) => files.get(name),
    fileExists: (name) => files.has(name) || undefined,
    getAccessibleEntries: (folder) =>
      folder === '/' ? { files: [...files.keys()].map((name) => name.slice(1)), directories: [] } : undefined,
  };
}

function findUnguarded(api: API, config: string): string[] {
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (project === undefined) throw new Error(`no project ${config}`);
  const files = project.rootFiles.flatMap((file) => project.program.getSourceFile(file) ?? []);
  const found = files.filter(({ fileName }) => !fileName.includes('/generated/')).flatMap(lookUpsIn);
  const types = project.checker.getTypeAtLocation(found.map(({ name }) => name));
  return found
    .filter((_, index) => isAnyText(types[index]))
    .filter((lookUp) => !isGuarded(lookUp, project.checker))
    .map(({ file, name }) => {
      const before = file.text.slice(0, name.end).split('\n');
      const line = file.text.split('\n')[before.length - 1] ?? '';
      return `${path.relative(root, file.fileName)}:${before.length}: ${line.trim()}`;
    });
}

interface LookUp {
  readonly file: SourceFile;
  readonly name: Expression;
  readonly table: Node;
}

/** Of `table[name]`, `name in table` and `{ [name]: value } = table`. */
function lookUpsIn(file: SourceFile): LookUp[] {
  const found: LookUp[] = [];
  const visit = (node: Node): void => {
    if (isElementAccessExpression(node)) found.push({ file, ...partsOf(node) });
    if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword) {
      found.push({ file, name: node.left, table: node.right });
    }
    if (node.kind === SyntaxKind.ComputedPropertyName && node.parent.kind === SyntaxKind.BindingElement) {
      found.push({
        file,
        name: (node as unknown as { readonly expression: Expression }).expression,
        table: node.parent,
      });
    }
    node.forEachChild(visit);
  };
  file.forEachChild(visit);
  return found;
}

function partsOf({ argumentExpression, expression }: ElementAccessExpression): Pick<LookUp, 'name' | 'table'> {
  return { name: argumentExpression, table: expression };
}

/** A name of some known ones is no data. */
function isAnyText(type: Type | undefined): boolean {
  if (type === undefined) return true;
  if ((type.flags & (TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.AnyOrUnknown)) !== 0) return true;
  if ((type.flags & TypeFlags.Union) !== 0) return partsOfType(type).some(isAnyText);
  return (type.flags & TypeFlags.Intersection) !== 0 && partsOfType(type).every(isAnyText);
}

function partsOfType(type: Type): readonly Type[] {
  return (type as unknown as { getTypes: () => readonly Type[] }).getTypes();
}

/** The function asks whether the table has the name, or takes the name from the table; or the name is a number. */
function isGuarded({ file, name, table }: LookUp, checker: Checker): boolean {
  if (isNumber(name, checker)) return true;
  const [ofName, ofTable] = [textOf(file, name), textOf(file, table)];
  const around = textOf(file, statementAround(table));
  const guards = [`Object.hasOwn(${ofTable},${ofName})`, `Object.keys(${ofTable})`, `definedKeys(${ofTable})`];
  return [...guards, `if(${ofName}==='__proto__')`].some((guard) => around.includes(guard));
}

function isNumber(name: Expression, checker: Checker): boolean {
  if (!isCallExpression(name) || (name.expression as { readonly text?: string }).text !== 'String') return false;
  const [argument] = name.arguments;
  const type = argument && checker.getTypeAtLocation(argument);
  return type !== undefined && (type.flags & TypeFlags.NumberLike) !== 0;
}

/** The outermost one, such as a function. */
function statementAround(node: Node): Node {
  return node.parent === undefined || node.parent.kind === SyntaxKind.SourceFile ? node : statementAround(node.parent);
}

function textOf({ text }: SourceFile, node: Node): string {
  return text.slice(node.pos, node.end).replaceAll(/\s+/g, '');
}

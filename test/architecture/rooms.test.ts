/**
 * Optional rooms: a program without one is the same program without its folder, the files of its name in `cli` and `report`, and its rows in
 * the registries. All are dropped in a copy, which still compiles, is bundled and runs.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from '@typescript/typescript6';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../scripts/bundle.mjs';
import { createWorkspace } from '../helpers/workspace.ts';

const root = join(import.meta.dirname, '..', '..');

interface Room {
  readonly folder: string;
  /** Its files in `cli` and `report` are `NAME.ts`, `NAME-….ts`, or in a folder `NAME`. */
  readonly name: string;
  /** The kinds of its reports. */
  readonly reports: readonly string[];
  /** Its options of other commands. */
  readonly options?: readonly string[];
  readonly commands: readonly string[];
  /** The rooms that it is made of, without which it is dropped too. */
  readonly uses?: readonly string[];
}

const ROOMS: readonly Room[] = [
  { folder: 'src/code', name: 'code', reports: ['refs', 'stale'], commands: ['generate', 'refs', 'stale'] },
  {
    folder: 'src/catalog',
    name: 'catalog',
    reports: ['catalog'],
    options: ['fromManifests', 'withAddresses'],
    commands: ['catalog'],
    uses: ['src/code', 'src/review/impact'],
  },
  {
    folder: 'src/editing',
    name: 'editing',
    reports: ['accept', 'promote'],
    options: ['merge'],
    commands: ['accept', 'promote'],
  },
  { folder: 'src/review/impact', name: 'impact', reports: [], options: ['impact', 'persons'], commands: [] },
];

/** What has rows of optional rooms. No other file names one. */
const REGISTRIES: readonly string[] = [
  'src/cli/actions/export.ts',
  'src/cli/actions/off.ts',
  'src/cli/commands/all-commands.ts',
  'src/cli/commands/flags.ts',
  'src/cli/commands/loop.ts',
  'src/cli/commands/manifests.ts',
  'src/cli/plan/inspect-plan.ts',
  'src/report/formats/render.ts',
  'src/report/model/model-of.ts',
  'src/report/model/plan.ts',
  'src/report/report.ts',
];

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
  .map((file) => join('src', file));

function isOf({ folder, name }: Room, file: string): boolean {
  const parts = file.replace(/\.ts$/, '').split('/');
  const isNamed = parts.includes(name) || parts.at(-1)?.startsWith(`${name}-`) === true;
  return file.startsWith(`${folder}/`) || (isNamed && /^src\/(cli|report)\//.test(file));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map((match) =>
    relative(root, resolve(root, dirname(file), match[1] ?? '')),
  );
}

describe.each(ROOMS)('the room $folder', (room) => {
  it('is imported by itself and by registries only', () => {
    const users = [room, ...ROOMS.filter(({ uses }) => uses?.includes(room.folder) === true)];
    const others = files.filter(
      (file) => !users.some((one) => isOf(one, file)) && importsOf(file).some((to) => isOf(room, to)),
    );
    expect(others.filter((file) => !REGISTRIES.includes(file))).toEqual([]);
    expect(others).not.toEqual([]);
  });
});

// Each alone too, since only registries import one.
it('all optional rooms can be dropped', async () => {
  const copy = createWorkspace().root;
  for (const name of ['src', 'service/src', 'schemas', 'package.json', 'tsconfig.json', 'tsconfig.test.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')).filter((one) => one !== '.cache'))
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  for (const file of files.filter((one) => ROOMS.some((room) => isOf(room, one)))) rmSync(join(copy, file));
  for (const file of REGISTRIES) writeFileSync(join(copy, file), withoutRows(file));
  const config = { extends: './tsconfig.test.json', include: ['src', 'service/src'], compilerOptions: UNLIKE };
  writeFileSync(join(copy, 'tsconfig.room.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  expect(run(copy, tsc, '-p', 'tsconfig.room.json')).toBe('');
  await bundle(copy);
  const help = run(copy, 'dist/cli/bin.js', '--help');
  expect(help).toContain('apply');
  for (const command of ROOMS.flatMap(({ commands }) => commands))
    expect(help).not.toMatch(new RegExp(`^ +${command} `, 'm'));
});

/** Only lint reads unused names. */
const UNLIKE = { noUnusedLocals: false, noUnusedParameters: false };

function run(cwd: string, ...args: readonly string[]): string {
  try {
    return execFileSync(process.execPath, args, { cwd, encoding: 'utf8' });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

/**
 * The text of a registry without the rows of optional rooms. A row is a member of a list, a table, a union or a type that names a report of a
 * room or something that is imported of one.
 */
function withoutRows(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const isOfRoom = (path: ts.Node): boolean =>
    ts.isStringLiteral(path) &&
    ROOMS.some((room) => isOf(room, relative(root, resolve(root, dirname(file), path.text))));
  const imports = source.statements.filter(ts.isImportDeclaration).filter((one) => isOfRoom(one.moduleSpecifier));
  const names = new Set(imports.flatMap(({ importClause }) => namesOf(importClause?.namedBindings)));
  const rows = new Set<ts.Node>(imports);
  const reports = ROOMS.flatMap((room) => room.reports);
  const isOfCommands = file.startsWith('src/cli/commands/');
  const keys = [...reports, ...(isOfCommands ? ROOMS.flatMap(({ options = [] }) => options) : [])];
  const visit = (node: ts.Node): void => {
    if (imports.includes(node as ts.ImportDeclaration)) return;
    const isName = ts.isIdentifier(node) && names.has(node.text);
    const isReport = ts.isStringLiteral(node) && reports.includes(node.text);
    const isKey = ts.isPropertyAssignment(node) && keys.includes(node.name.getText());
    const isImport = ts.isCallExpression(node) && node.arguments.some(isOfRoom);
    if (isName || isReport || isKey || isImport) rows.add(rowOf(node));
    else ts.forEachChild(node, visit);
  };
  visit(source);
  const spans = [...rows].map((row) => [row.getFullStart(), row.getEnd()] as const).toSorted(([a], [b]) => b - a);
  return spans.reduce((rest, [from, to]) => {
    const after = rest.slice(to).replace(/^,/, '');
    const before = rest.slice(0, from);
    return (before.endsWith('|') ? before.slice(0, -1) : before) + after;
  }, text);
}

function namesOf(bindings: ts.NamedImportBindings | undefined): readonly string[] {
  if (bindings === undefined) return [];
  return ts.isNamespaceImport(bindings) ? [bindings.name.text] : bindings.elements.map(({ name }) => name.text);
}

/** The nearest member that contains a node. */
function rowOf(node: ts.Node): ts.Node {
  const { parent } = node;
  const isMember =
    ts.isPropertyAssignment(node) ||
    ts.isShorthandPropertyAssignment(node) ||
    ts.isPropertySignature(node) ||
    ts.isSpreadElement(node) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isUnionTypeNode(parent);
  return isMember ? node : rowOf(parent);
}

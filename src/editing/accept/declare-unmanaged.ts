/** Declares live flags that no manifest names: each in the file of the flags with its prefix, or in a new file. */

import { comparing } from '../../base/compare-strings.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { jsonEquals, type JsonValue } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import type { ExportedFile, ExportInput, ExportOptions, LeftOutFlag } from '../../export/export.ts';
import { writeManifests } from '../../export/write-manifests.ts';
import { groupFiles, MIXED_FILE } from '../../manifest/write/group-files.ts';
import { FLAG_SECTION } from '../../posthog/flag/manifest/section.ts';
import type { Project } from '../../posthog/project.ts';
import { parseManifest } from '../../posthog/manifests/manifests.ts';
import { findDifferences } from '../compare.ts';
import { meaningOf } from '../declared.ts';
import { toEditingContext, type EditingContext, type EditingInput } from '../context.ts';
import { editTexts, readTexts, type FileEdit, type ManifestText, type ReadTexts } from '../texts.ts';
import type { LeftFlag } from './accepted.ts';

export interface DeclareInput extends EditingInput {
  /** The keys of the flags to declare. */
  readonly keys: ReadonlySet<string>;
  /** Whether the role access of these flags was read, and is declared. */
  readonly withRoleAccess: boolean;
  /** How new files are written. The name of a folder precedes the names of files. */
  readonly writing: Pick<ExportOptions, 'onlyIn' | 'schemaPath' | 'taken'>;
  readonly folder: string;
}

export interface DeclaredUnmanaged {
  readonly edited: readonly ManifestText[];
  /** New files, in the folder. */
  readonly files: readonly ManifestText[];
  readonly added: readonly { readonly key: string; readonly place: Place }[];
  readonly left: readonly LeftFlag[];
}

/** No declared flag changes, in no project, and a plan has nothing to do for the new ones: both are checked on the texts. */
export function declareUnmanaged(input: DeclareInput): DeclaredUnmanaged {
  const context = toEditingContext(input);
  const open = new Set(input.keys);
  const left: LeftFlag[] = [];
  for (;;) {
    const attempt = tryDeclare(context, input, open);
    for (const flag of attempt.leftOut) {
      open.delete(flag.key);
      left.push({ key: flag.key, reason: { code: 'not-exportable', reasons: flag.reasons } });
    }
    const wrong = findWrong(context, attempt.after, open);
    if (wrong.length === 0) return finish(attempt, open, left);
    for (const key of wrong) {
      open.delete(key);
      left.push({ key, reason: { code: 'reads-differently' } });
    }
  }
}

interface Attempt {
  readonly edited: readonly ManifestText[];
  readonly files: readonly ManifestText[];
  readonly after: ReadTexts;
  readonly leftOut: readonly LeftOutFlag[];
}

function tryDeclare(context: EditingContext, input: DeclareInput, open: ReadonlySet<string>): Attempt {
  const { files, leftOut } = writeManifests(toExport(input, open), input.writing);
  const edits = files.flatMap((file) => editsFor(file, context));
  const { texts, refused } = editTexts(context.manifests, edits);
  const atHome = new Set(
    edits
      .map(({ edit }) => edit)
      .filter((edit) => refused.every((one) => one.edit !== edit))
      .map(({ path }) => String(path[1])),
  );
  const homeless = new Set([...open].filter((key) => !atHome.has(key)));
  const anew = homeless.size === 0 ? [] : writeManifests(toExport(input, homeless), input.writing).files;
  const added = anew.map(({ path, text }) => ({ file: `${input.folder}/${path}`, text }));
  const before = new Map(context.manifests.map(({ file, text }) => [file, text]));
  return {
    edited: texts.filter(({ file, text }) => before.get(file) !== text),
    files: added,
    after: readTexts([...texts, ...added], context.allProjects),
    leftOut,
  };
}

function toExport({ live, withRoleAccess, project }: DeclareInput, keys: ReadonlySet<string>): ExportInput {
  const { flags, roleAccess, organization } = live;
  return {
    flags,
    roleAccess: withRoleAccess ? roleAccess : undefined,
    names: project,
    keys,
    ...(organization === undefined ? {} : { organization }),
  };
}

/** The declarations of an exported file, as members of the files where flags with their prefix are. */
function editsFor({ path, text }: ExportedFile, { read }: EditingContext): FileEdit[] {
  const { declarations } = parseManifest(path, text).file;
  return declarations.flatMap(({ key, value }): FileEdit[] => {
    const file = homeOf(key, read);
    return file === undefined ? [] : [{ file, edit: { path: [FLAG_SECTION.name, key], value } }];
  });
}

/** The file with most of the flags that an export would put beside this one. What shares no prefix has one only if export made it. */
function homeOf(key: string, { declarations }: ReadTexts): string | undefined {
  const flags = [...declarations].flatMap(([name, { section }]) => (section === FLAG_SECTION.name ? name : []));
  const groups = groupFiles([...flags, key], 'prefix');
  const [group, beside = []] = [...groups].find(([, keys]) => keys.includes(key)) ?? [];
  const counts = new Map<string, number>();
  for (const one of beside) {
    const file = declarations.get(one)?.file;
    if (file !== undefined && (group !== MIXED_FILE || `/${file}`.endsWith(`/${MIXED_FILE}`)))
      counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0];
}

/** Keys that would not read as live; of any flag, if another one would change. */
function findWrong(context: EditingContext, after: ReadTexts, open: ReadonlySet<string>): string[] {
  const errors = new Set(errorsOf(context.read, context).map(({ name }) => name));
  const wrong = new Set([
    ...[...findDifferences(context, after).keys()].filter((key) => open.has(key)),
    ...errorsOf(after, context).flatMap(({ name, key }) => (errors.has(name) ? [] : [key])),
    ...context.projects.flatMap((project) => changedIn(project, context.read, after)),
  ]);
  const own = [...wrong].filter((key) => open.has(key));
  return own.length > 0 || wrong.size === 0 ? own : [...open];
}

function changedIn(project: Project, before: ReadTexts, after: ReadTexts): string[] {
  const now = new Map(after.resolve(project).desired.flags.map((flag) => [flag.key, meaningOf(flag) as JsonValue]));
  const { flags } = before.resolve(project).desired;
  return flags.filter((flag) => !jsonEquals(meaningOf(flag) as JsonValue, now.get(flag.key))).map(({ key }) => key);
}

function errorsOf(read: ReadTexts, { project }: EditingContext): { readonly name: string; readonly key: string }[] {
  return read
    .resolve(project)
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ code, path = '' }) => ({ name: `${code} ${path}`, key: fromPointer(path)[1] ?? '' }));
}

function finish(
  { edited, files, after }: Attempt,
  open: ReadonlySet<string>,
  left: readonly LeftFlag[],
): DeclaredUnmanaged {
  const added = [...open].flatMap((key) => {
    const place = after.declarations.get(key)?.places.place;
    return place === undefined ? [] : [{ key, place }];
  });
  return {
    edited,
    files,
    added: added.toSorted(comparing(({ key }) => key)),
    left: left.toSorted(comparing(({ key }) => key)),
  };
}

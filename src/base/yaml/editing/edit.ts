/** Writes values into YAML text. Every other character of the text, comments included, stays as it is. */

import { toPointer } from '../../json-pointer.ts';
import { isJsonArray, isJsonObject, jsonEquals, longDecimalIn, type JsonValue } from '../../json.ts';
import { groupBy } from '../../group.ts';
import { placeAt, type Place, createPlacer } from '../../place.ts';
import { unstorableCharacter } from '../../text.ts';
import { findAnchors } from './entries.ts';
import type { EditedYaml, EditRefusal, LayOut, RefusedEdit, YamlEdit, YamlPath } from './edits.ts';
import { findSplices, collectWanted, losesComment, withWanted } from './find-splices.ts';
import { styleOf } from './value-text.ts';
import type { TextEditing } from './replace.ts';
import { applySplices, lineBreakNear, type Splice } from './splice.ts';
import { readSyntax, readYaml, type YamlFile, type YamlSyntax } from '../read.ts';

export interface EditMeans {
  readonly layOut: LayOut;
  /** Reads a text as `readYaml` does, or has read it before. */
  readonly read?: (text: string) => YamlFile;
}

/** The edited text is read again: it must differ from the text before in the edited values and in nothing else. */
export function editYaml<Edit extends YamlEdit>(
  text: string,
  edits: readonly Edit[],
  { layOut, read = (one) => readYaml('', one) }: EditMeans,
): EditedYaml<Edit> {
  const { documents, diagnostics } = readSyntax('', withFinalBreak(text), { keepSourceTokens: true });
  const [mistake] = diagnostics;
  if (mistake !== undefined) {
    const { line = 1, column = 1 } = mistake.place ?? {};
    return { text, refused: edits.map((edit) => ({ edit, reason: 'unreadable', line, column })) };
  }
  const refused: RefusedEdit<Edit>[] = [];
  const refuse: EditRun['refuse'] = (edit, reason, { line, column }) =>
    void refused.push({ edit: edit as Edit, reason, line, column });
  const run: EditRun = { text, documents, layOut, read, refuse, spliced: new WeakMap() };
  const needed = edits.filter((edit) => !isSaid(documents, edit));
  // The value, and the names on the way to it, must survive being written and read.
  const writable = needed.filter((edit) => {
    if (isWritable(edit.value) && edit.path.every((name) => isWritable(name))) return true;
    refuse(edit, 'unwritable', placeOf(run, edit));
    return false;
  });
  return { text: prove(run, { text, edits: [] }, settle(run, writable)).text, refused };
}

interface EditRun {
  readonly text: string;
  readonly documents: readonly YamlSyntax[];
  readonly layOut: LayOut;
  readonly read: (text: string) => YamlFile;
  readonly refuse: (edit: YamlEdit, reason: EditRefusal, place: Pick<Place, 'line' | 'column'>) => void;
  /** Found once for each list of edits. */
  readonly spliced: WeakMap<readonly YamlEdit[], SplicedDocuments>;
}

/** A text without a line break at its end is edited with one, which is taken off again. */
function withFinalBreak(text: string): string {
  return text === '' || text.endsWith('\n') ? text : text + lineBreakNear(text, text.length);
}

/** Whether the text says it already. */
function isSaid(documents: readonly YamlSyntax[], { path, value, beside }: YamlEdit): boolean {
  const found = path.reduce<JsonValue | undefined>(
    (current, name) => partOf(current, name),
    documents[chooseDocument(documents, beside ?? path)]?.value,
  );
  return value === undefined || found === undefined ? found === value : jsonEquals(found, value);
}

function partOf(value: JsonValue | undefined, name: string | number): JsonValue | undefined {
  if (isJsonArray(value)) return typeof name === 'number' ? value[name] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The first document that has most of the path. */
function chooseDocument(documents: readonly YamlSyntax[], path: YamlPath): number {
  if (documents.length < 2) return 0;
  const depths = documents.map(({ value }) => {
    let current: JsonValue | undefined = value;
    return path.findIndex((name) => (current = partOf(current, name)) === undefined) >>> 0;
  });
  return depths.indexOf(depths.reduce((most, depth) => Math.max(most, depth)));
}

function isWritable(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return unstorableCharacter(value) === undefined;
  if (longDecimalIn(value) !== undefined) return false;
  if (!isJsonArray(value) && !isJsonObject(value)) return true;
  return Object.entries(value).every(([name, member]) => isWritable(name) && isWritable(member));
}

/** The place of the edited value, or of the nearest value around it. */
function placeOf({ documents }: EditRun, { path, beside }: YamlEdit): Pick<Place, 'line' | 'column'> {
  const places = documents[chooseDocument(documents, beside ?? path)]?.places;
  return places === undefined ? { line: 1, column: 1 } : placeAt(places, toPointer(path));
}

/** Refuses edits until those that are left can all be made. */
function settle(run: EditRun, edits: readonly YamlEdit[]): readonly YamlEdit[] {
  const { refused } = spliceAll(run, edits);
  if (refused.length === 0) return edits;
  // An edit overlaps another one only if that one is made.
  const others = refused.filter(({ reason }) => reason !== 'overlapping');
  const known = new Set<YamlEdit>();
  const placer = createPlacer('', run.text);
  for (const { edit, reason, offset } of others.length > 0 ? others : refused) {
    if (!known.has(edit)) run.refuse(edit, reason, offset === undefined ? placeOf(run, edit) : placer(offset));
    known.add(edit);
  }
  return settle(
    run,
    edits.filter((edit) => !known.has(edit)),
  );
}

type Proven = { readonly text: string; readonly edits: readonly YamlEdit[] };

/** Makes the edits together; those without which the text reads as wished are found by halving. */
function prove(run: EditRun, proven: Proven, further: readonly YamlEdit[]): Proven {
  const edits = proven.edits.length === 0 ? further : [...proven.edits, ...further];
  const text = further.length === 0 ? proven.text : tryEdits(run, edits);
  if (text !== undefined) return { text, edits };
  const [only] = further;
  if (further.length === 1 && only !== undefined) {
    run.refuse(only, 'reads-differently', placeOf(run, only));
    return proven;
  }
  const middle = Math.ceil(further.length / 2);
  return prove(run, prove(run, proven, further.slice(0, middle)), further.slice(middle));
}

/** `undefined` if the text would read differently than the edits say. */
function tryEdits(run: EditRun, edits: readonly YamlEdit[]): string | undefined {
  const { splices, values, refused, released } = spliceAll(run, edits);
  if (refused.length > 0) return undefined;
  const before = withFinalBreak(run.text);
  const after = applySplices(before, splices, [0, before.length]);
  const isCut = splices.some(({ start, end }) => before.slice(start, end).includes('#'));
  if (isCut && losesComment(before, after, released)) return undefined;
  // A string that ends with an empty line may need the line break at the end.
  const candidates = before === run.text ? [after] : [after.replace(/\r?\n$/, ''), after];
  return candidates.find((text) => {
    const { documents, diagnostics } = run.read(text);
    return (
      diagnostics.length === 0 &&
      jsonEquals(
        documents.map(({ value }) => value),
        values,
      )
    );
  });
}

interface SplicedDocuments {
  readonly splices: readonly Splice[];
  /** The parts of the text that go with their comments. */
  readonly released: readonly (readonly [start: number, end: number])[];
  /** The values of the documents after the edits. */
  readonly values: readonly JsonValue[];
  /** `offset`: where the value that cannot be edited is, if that is not where the edit leads. */
  readonly refused: readonly { readonly edit: YamlEdit; readonly reason: EditRefusal; readonly offset?: number }[];
}

function spliceAll(run: EditRun, edits: readonly YamlEdit[]): SplicedDocuments {
  const known = run.spliced.get(edits);
  if (known !== undefined) return known;
  const { documents, layOut } = run;
  const text = withFinalBreak(run.text);
  const refused: SplicedDocuments['refused'][number][] = [];
  const values = documents.map(({ value }) => value);
  const splices: Splice[] = [];
  const released: [number, number][] = [];
  const indexOf = ({ beside, path }: YamlEdit): number => chooseDocument(documents, beside ?? path);
  for (const [index, own] of groupBy(edits, indexOf)) {
    const document = documents[index];
    const { wanted, overlapping } = collectWanted(own);
    refused.push(...overlapping.map((edit) => ({ edit, reason: 'overlapping' as const })));
    const root = document?.syntax.contents ?? null;
    const editing: TextEditing = {
      text,
      layOut,
      style: styleOf(text, root),
      anchors: findAnchors(text, document?.syntax),
      release: (start, end) => void released.push([start, end]),
      refuse: (all, reason, offset) => void refused.push(...all.map((edit) => ({ edit, reason, offset }))),
    };
    splices.push(...findSplices(document, wanted, editing));
    const after = withWanted(document?.value, wanted);
    if (after !== undefined) values[index] = after;
  }
  const spliced = { splices, released, values, refused };
  run.spliced.set(edits, spliced);
  return spliced;
}

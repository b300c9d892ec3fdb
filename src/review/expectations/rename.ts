/** The expectations that ask for a flag by a key that it no longer has, and the text of a test file with its new key. */

import { arrayOrEmpty, definedKeys, isJsonObject, jsonEquals, objectFrom, type JsonValue } from '../../base/json.ts';
import { toPointer } from '../../base/json-pointer.ts';
import { placeAt, type Place } from '../../base/place.ts';
import { renameKeyAt, type KeyAt } from '../../base/yaml/editing/rename-key.ts';
import { readYaml, type YamlDocument } from '../../base/yaml/read.ts';
import type { TestDocument } from './expectation.ts';

export interface FormerKey extends KeyAt {
  readonly place: Place;
  /** Whether some of the projects that it is about have the flag under the former key still. */
  readonly isKept: boolean;
}

interface Renames {
  /** The new key of each former one. */
  readonly renames: ReadonlyMap<string, string>;
  /** The projects that declare a flag with a key. */
  readonly projectsWith: (key: string) => ReadonlySet<string>;
  readonly allProjects: readonly string[];
}

export function findFormerKeys(
  documents: readonly TestDocument[],
  { renames, projectsWith, allProjects }: Renames,
): readonly FormerKey[] {
  return documents.flatMap(({ expectations, places }) =>
    expectations.flatMap(({ written: { projects = allProjects, flags }, at }) =>
      Object.keys(flags).flatMap((from): FormerKey[] => {
        const to = renames.get(from);
        const keeping = projectsWith(from);
        if (to === undefined || projects.every((name) => keeping.has(name))) return [];
        const place = placeAt(places, at + toPointer(['flags', from]));
        return [{ place, from, to, isKept: projects.some((name) => keeping.has(name)) }];
      }),
    ),
  );
}

/** `undefined` if the text would read differently in anything but these keys. */
export function renameInTests(text: string, keys: readonly FormerKey[]): string | undefined {
  const [before, byPlace] = [readYaml('', text), new Map(keys.map((key) => [placeName(key.place), key]))];
  const sorted = [...byPlace.values()].toSorted(
    (a, b) => b.place.line - a.place.line || b.place.column - a.place.column,
  );
  const edited = sorted.reduce<string | undefined>((current, key) => current && renameKeyAt(current, key), text);
  if (edited === undefined) return undefined;
  const after = readYaml('', edited);
  const wanted = before.documents.map((document) => withKeys(document, byPlace));
  const isProved =
    before.diagnostics.length + after.diagnostics.length === 0 &&
    jsonEquals(
      after.documents.map(({ value }) => value),
      wanted,
    );
  return isProved ? edited : undefined;
}

function placeName({ line, column }: Place): string {
  return `${line}:${column}`;
}

function withKeys({ value, places }: YamlDocument, keys: ReadonlyMap<string, FormerKey>): JsonValue {
  if (!isJsonObject(value)) return value;
  const expect = arrayOrEmpty(value['expect']).map((one, index): JsonValue => {
    const flags = isJsonObject(one) ? one['flags'] : undefined;
    if (!isJsonObject(one) || !isJsonObject(flags)) return one;
    const renamed = definedKeys(flags).map((name): [string, JsonValue] => {
      const place = placeAt(places, toPointer(['expect', String(index), 'flags', name]));
      return [keys.get(placeName(place))?.to ?? name, flags[name] as JsonValue];
    });
    return { ...one, flags: objectFrom(renamed) };
  });
  return value['expect'] === undefined ? value : { ...value, expect };
}

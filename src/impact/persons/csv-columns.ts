/** What the columns of a file of people mean, and a person from a record of it. */

import { FlagwrightError } from '../../base/errors.ts';
import { objectFrom } from '../../base/json.ts';
import { isGroupType, type Read } from './person.ts';

export interface Columns {
  /** Index of the column of ids. */
  readonly id: number;
  readonly amount: number;
  readonly properties: readonly Column[];
  /** `name`: the index of the type. */
  readonly groups: readonly Column[];
}

interface Column {
  readonly name: string;
  readonly index: number;
}

/** @throws {FlagwrightError} `file` where the columns do not say who or what a record is about. */
export function parseHeader(names: readonly string[], file: string): Columns {
  const id = ['distinct_id', 'id'].map((name) => names.indexOf(name)).find((index) => index !== -1);
  if (id === undefined) {
    throw new FlagwrightError('file', `${file}:1: No column is named distinct_id or id.`, {
      remedy: 'Name the column with the ids distinct_id. The first line names the columns, separated by commas.',
    });
  }
  const placeOf = (index: number): string => `${file}:1: Column ${index + 1}`;
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1)
    throw columnError(placeOf(twice), 'has the name of an earlier column', 'Give each column its own name.');
  const others = names.map((name, index) => ({ name, index })).filter(({ index }) => index !== id);
  const groups = others.flatMap(({ name, index }) =>
    name.startsWith(GROUPS) ? [{ name: name.slice(GROUPS.length), index }] : [],
  );
  const unknown = groups.find(({ name }) => !isGroupType(name));
  if (unknown !== undefined) {
    const remedy = 'Name it by the index of the type, as in aggregation_group_type_index: groups.0.';
    throw columnError(placeOf(unknown.index), 'is of no known type of groups', remedy);
  }
  return { id, amount: names.length, groups, properties: others.filter(({ name }) => !name.startsWith(GROUPS)) };
}

const GROUPS = 'groups.';

/** The name is left out, since it may be data. */
function columnError(place: string, what: string, remedy: string): FlagwrightError {
  return new FlagwrightError('file', `${place} ${what}.`, { remedy });
}

/** An empty cell says nothing. */
export function personOf(cells: readonly string[] | undefined, columns: Columns): Read {
  if (cells?.length !== columns.amount) return { fault: 'malformed' };
  const distinctId = cells[columns.id] ?? '';
  if (distinctId === '') return { fault: 'no_id' };
  const given = (among: readonly Column[]): Record<string, string> =>
    objectFrom(among.flatMap(({ name, index }) => (cells[index] ? [[name, cells[index]] as const] : []))) as Record<
      string,
      string
    >;
  return { person: { distinctId, properties: given(columns.properties), groups: given(columns.groups) } };
}

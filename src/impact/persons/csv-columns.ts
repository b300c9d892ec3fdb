/** Interprets the columns of a file of people, and reads a person from one of its records. */

import { FlagwrightError } from '../../base/errors.ts';
import { objectFrom } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { isGroupType, type ListedPerson, type ParsedPerson } from './person.ts';

export interface PersonColumns {
  /** Index of the column of ids. */
  readonly id: number;
  readonly amount: number;
  readonly properties: readonly Column[];
  readonly groups: readonly GroupColumn[];
}

interface Column {
  readonly name: string;
  readonly index: number;
}

/** `name`: of a property of the group; absent if the column has the keys of the groups. */
interface GroupColumn extends Partial<Column> {
  readonly type: string;
  readonly index: number;
}

/** @throws {FlagwrightError} `file` where the columns do not say who or what a record is about. */
export function parseHeader(names: readonly string[], file: string): PersonColumns {
  if (names.some((name) => name.includes('\r'))) {
    throw new FlagwrightError('file', `${file}:1: The lines end with a carriage return alone.`, {
      remedy: 'Save the file with line ends LF or CRLF.',
    });
  }
  const id = ['distinct_id', 'id'].map((name) => names.indexOf(name)).find((index) => index !== -1);
  if (id === undefined) {
    throw new FlagwrightError('file', `${file}:1: No column is named distinct_id or id.`, {
      remedy: 'Name the column with the ids distinct_id. The first line names the columns, separated by commas.',
    });
  }
  const placeOf = (index: number): string => `${file}:1: Column ${index + 1}`;
  const twice = names.findIndex((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== -1)
    throw columnError(placeOf(twice), 'has the name of an earlier column', 'Give each column its own name.');
  // A column without a name is ignored.
  const others = names.map((name, index) => ({ name, index })).filter(({ name, index }) => name !== '' && index !== id);
  const ofGroups = others.filter(({ name }) => name.startsWith(GROUPS));
  const groups = ofGroups.map(({ name, index }) => readGroupColumn(name, { index, place: placeOf(index) }));
  return { id, amount: names.length, groups, properties: others.filter(({ name }) => !name.startsWith(GROUPS)) };
}

const GROUPS = 'groups.';

/** `groups.TYPE` or `groups.TYPE.PROPERTY`. */
function readGroupColumn(
  name: string,
  { index, place }: { readonly index: number; readonly place: string },
): GroupColumn {
  const [, type = '', property] = /^groups\.([^.]*)(?:\.([^]+))?$/.exec(name) ?? [];
  if (isGroupType(type)) return property === undefined ? { type, index } : { type, index, name: property };
  const remedy =
    'Name it by the index of the type, as in aggregation_group_type_index: groups.0, or groups.0.plan for a property.';
  throw columnError(place, 'is of no known type of groups', remedy);
}

/** Does not quote the name: without a header line, it would be personal data. */
function columnError(place: string, what: string, remedy: string): FlagwrightError {
  return new FlagwrightError('file', `${place} ${what}.`, { remedy });
}

/** Ignores empty cells. */
export function personOf(cells: readonly string[] | undefined, columns: PersonColumns): ParsedPerson {
  if (cells?.length !== columns.amount) return { fault: 'malformed' };
  const distinctId = cells[columns.id] ?? '';
  if (distinctId === '') return { fault: 'no_id' };
  const properties = objectFrom(columns.properties.flatMap(({ name, index }) => entryOf(name, cells[index])));
  return { person: { distinctId, properties, groups: groupsOf(cells, columns) } };
}

function groupsOf(cells: readonly string[], { groups }: PersonColumns): ListedPerson['groups'] {
  const told = groups.filter(({ index }) => cells[index]);
  const types = [...new Set(told.map(({ type }) => type))];
  return Object.fromEntries(
    types.map((type) => {
      const own = told.filter((column) => column.type === type);
      const key = own.find(({ name }) => name === undefined);
      const properties = objectFrom(own.flatMap(({ name, index }) => (name ? entryOf(name, cells[index]) : [])));
      return [type, { properties, ...defined({ key: key && cells[key.index] }) }];
    }),
  );
}

function entryOf(name: string, cell: string | undefined): (readonly [name: string, cell: string])[] {
  return cell ? [[name, cell]] : [];
}

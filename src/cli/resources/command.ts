/** A resource command: a row of a table that defines its command line, help and behavior, and how rows are declared; and what rows share. */

import { InvalidArgumentError, type Command } from 'commander';
import { FlagwrightError } from '../../base/errors.ts';
import { parseJson, tryParseJson } from '../../base/json-text.ts';
import { type JsonObject, type JsonValue, isJsonArray, isJsonObject, objectFrom } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { upperFirst } from '../../base/text.ts';
import { paged, type Paged } from '../../posthog/client/listing.ts';
import type { ActivityEntry, ActivityPage, ActivityQuery } from '../../posthog/client/operations/flag-insight.ts';
import type { PersonAnalysis, PersonId } from '../../posthog/client/operations/persons.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import type { RecordsOrigin } from '../../report/report.ts';
import { type Parameter, type Parameters, type ParameterValues, onOff, wholeNumber } from '../line/options.ts';
import { NOT_CONFIRMED } from '../line/exit.ts';
import { declareParameter, helpEnd, readValues } from '../line/program.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { Choose, Session } from '../session/session.ts';

/** The commands of one resource, `flagwright persons …`; its heading is in `groups.ts`. */
export interface ResourceGroup {
  /** The scope of the API key, such as `person`: reading needs `person:read`. */
  readonly scope: string;
  /** The request budget of the resource, if it is smaller than that of others. */
  readonly requestsPerMinute?: number;
  readonly commands: readonly ResourceCommand[];
  /** Commands that users may look for here, each with where to find it instead. */
  readonly elsewhere: Readonly<Record<string, string>>;
}

export interface ResourceCommand {
  readonly name: string;
  readonly summary: string;
  /** Details beyond the summary. */
  readonly description?: string;
  readonly examples: readonly string[];
  /** The methods of the client that the command calls. */
  readonly operations: readonly (keyof ServiceClient)[];
  readonly parameters: Parameters;
  /** Absent: the command only reads. */
  readonly writes?: true;
  /** Columns of a table and of CSV; absent if the result is one record. */
  readonly columns?: readonly string[];
  /** Columns of CSV, if a record has more than a table shows. */
  readonly csvColumns?: readonly string[];
  /** The confirmation that precedes the command. */
  readonly question?: (values: CommandValues) => string;
  readonly run: (client: ServiceClient, values: CommandValues) => ResourceAnswer | Promise<ResourceAnswer>;
  /** Answers without the service; `undefined`: the values do not ask for that. */
  readonly offline?: (values: CommandValues) => ((session: Session) => Promise<RecordsAnswer>) | undefined;
  /** How its records are shown to people; absent: as the service returns them. */
  readonly words?: (values: CommandValues) => Promise<(session: Session, opened: OpenProject) => RecordWords>;
}

/** The records in words, for the formats that people read. */
export interface RecordWords {
  readonly columns: readonly string[];
  readonly layout: 'flags';
  readonly of: (record: JsonObject) => JsonObject | Promise<JsonObject>;
}

/** Values of parameters by their names in the row, each of the type of its parameter. */
export type CommandValues = Readonly<Record<string, unknown>>;

/** Read while they are printed. */
export interface RecordsAnswer {
  readonly kind: 'records';
  readonly records: AsyncIterable<JsonObject> | Iterable<JsonObject>;
  /** The maximum number of printed records. */
  readonly limit?: number;
  /** The output of `--format json` instead of the records: the response of the service. */
  readonly document?: JsonValue;
  /** Text lays the records out as what they are, unless the user chooses columns. */
  readonly layout?: 'activity';
  readonly words?: RecordWords;
  /** Instead of those of the command, as is the next one. */
  readonly columns?: readonly string[];
  readonly source?: RecordsOrigin['source'];
}

export type ResourceAnswer =
  | RecordsAnswer
  /** `layout`: text lays it out as what it is. */
  | { readonly kind: 'record'; readonly record: JsonObject; readonly layout?: 'flag' }
  /** A write: a sentence for people, a record for programs. */
  | { readonly kind: 'done'; readonly text: string; readonly record: JsonObject };

/** A row with its types: the parameters define the values of `run`. */
interface TypedCommand<P extends Parameters> extends Omit<
  ResourceCommand,
  'parameters' | 'question' | 'run' | 'offline' | 'words'
> {
  readonly parameters: P;
  readonly question?: (values: ParameterValues<P>) => string;
  readonly run: (client: ServiceClient, values: ParameterValues<P>) => ResourceAnswer | Promise<ResourceAnswer>;
  readonly offline?: (values: ParameterValues<P>) => ReturnType<NonNullable<ResourceCommand['offline']>>;
  readonly words?: (values: ParameterValues<P>) => ReturnType<NonNullable<ResourceCommand['words']>>;
}

/** Checks a row against its own parameters, then erases their types so that all rows fit in one table. */
export function command<P extends Readonly<Record<string, Parameter<unknown>>>>(row: TypedCommand<P>): ResourceCommand {
  return row as unknown as ResourceCommand;
}

/** `NAME=VALUE`, repeatable. A value is JSON (`5`, `true`, `["a"]`, `"5"`), or else a string. */
export function members(syntax: string, description: string): Parameter<JsonObject | undefined> {
  return {
    syntax,
    description,
    parse: (pair, previous = {}) => {
      const [name, value] = splitPair(pair);
      return objectFrom([...(Object.entries(previous) as [string, JsonValue][]), [name, jsonOrText(value)]]);
    },
  };
}

/** `NAME=VALUE`, repeatable, with string values only. */
export function textMembers(
  syntax: string,
  description: string,
): Parameter<Readonly<Record<string, string>> | undefined> {
  return {
    syntax,
    description,
    parse: (pair, previous = {}) => {
      const [name, value] = splitPair(pair);
      return { ...previous, [name]: value };
    },
  };
}

function splitPair(pair: string): readonly [name: string, value: string] {
  const equals = pair.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It must be NAME=VALUE.');
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

export function jsonObject(syntax: string, description: string): Parameter<JsonObject | undefined> {
  return { syntax, description, parse: parseObject };
}

export function requiredJsonObject(syntax: string, description: string): Parameter<JsonObject> {
  return { syntax, description, parse: parseObject, required: true };
}

export function jsonObjects(syntax: string, description: string): Parameter<readonly JsonObject[] | undefined> {
  return {
    syntax,
    description,
    parse: (value) => {
      const parsed = parseJson(value);
      if (!isJsonArray(parsed) || !parsed.every(isJsonObject)) {
        throw new InvalidArgumentError('It must be a JSON array of objects.');
      }
      return parsed;
    },
  };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const PERSON_ID: Parameter<PersonId> = {
  syntax: '<id>',
  description: 'number or UUID of the person',
  required: true,
  parse: parsePersonId,
};

export const OPTIONAL_PERSON_ID: Parameter<PersonId | undefined> = {
  syntax: '[id]',
  description: 'number or UUID of a person (default: all persons of the project)',
  parse: parsePersonId,
};

/** A UUID, in small letters. */
export function uuid(syntax: string, description: string): Parameter<string> {
  return {
    syntax,
    description,
    required: true,
    parse: (value) => {
      if (UUID.test(value)) return value.toLowerCase();
      throw new InvalidArgumentError('It must be a UUID.');
    },
  };
}

/** Options of every command that lists. `--all` overrides a limit. */
export const PAGING: {
  readonly limit: Parameter<number>;
  readonly all: Parameter<boolean | undefined>;
} = {
  limit: { syntax: '-n, --limit <n>', description: 'maximum number of entries', parse: wholeNumber(1), fallback: 100 },
  all: onOff('--all', 'all entries; csv and jsonl are streamed'),
};

export function limitOf({ limit, all }: ParameterValues<typeof PAGING>): number {
  return all === true ? Infinity : limit;
}

/** As many records as the paging options allow. */
export function limited(paging: ParameterValues<typeof PAGING>, records: RecordsAnswer['records']): RecordsAnswer {
  return { kind: 'records', limit: limitOf(paging), records };
}

export function jsonOrText(value: string): JsonValue {
  const parsed = tryParseJson(value);
  return parsed === undefined ? value : parsed;
}

function parsePersonId(value: string): PersonId {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  if (UUID.test(value)) return value.toLowerCase();
  throw new InvalidArgumentError('It must be the number or the UUID of a person; `persons list` shows both.');
}

function parseObject(value: string): JsonObject {
  const parsed = tryParseJson(value);
  if (parsed === undefined) throw new InvalidArgumentError('It must be JSON.');
  if (!isJsonObject(parsed)) throw new InvalidArgumentError('It must be a JSON object.');
  return parsed;
}

export const PERSON_COLUMNS: readonly string[] = ['id', 'name', 'distinct_ids', 'created_at'];
/** The whole person, in the order of the service. */
export const PERSON_CSV_COLUMNS: readonly string[] = ['id', 'name', 'distinct_ids', 'properties', 'created_at', 'uuid'];

/** The service's largest pages. */
const LARGEST_PAGE = 1000;
const LARGEST_ACTIVITY_PAGE = 100;

/** Requests only as many as are wanted. */
export function pageSize(limit: number): number {
  return Math.min(limit, LARGEST_PAGE);
}

/** Activity is paged by page number (docs/service/activity.md). */
export function activityEntries(
  limit: number,
  read: (query: ActivityQuery) => Promise<ActivityPage>,
): Paged<ActivityEntry> {
  const size = Math.min(limit, LARGEST_ACTIVITY_PAGE);
  return paged(1, async (page) => {
    const { results, next } = await read({ limit: size, page });
    const more = typeof next === 'string' && next !== '' && results.length > 0;
    return more ? { results, next: page + 1 } : { results };
  });
}

/** The people of an analysis; each page contains the parameters of the next one. */
export function analysedPeople(
  parameters: JsonObject,
  read: (parameters: JsonObject) => Promise<PersonAnalysis>,
): Paged<JsonObject> {
  return paged(parameters, async (current) => {
    const { people, next, answer } = await read(current);
    // The rows of retention hold the periods of each person, which a list of people lacks.
    const results = Array.isArray(answer['result']) ? (answer['result'] as readonly JsonObject[]) : people;
    const offset = Number(current['offset'] ?? 0);
    const onward = next?.offset !== undefined && next.offset > offset && people.length > 0;
    return onward ? { results, next: { ...current, ...next } } : { results };
  });
}

/** Looks up a string of digits by id: one request. Other strings are keys: as many pages as it takes. */
export async function findFlag(client: ServiceClient, flag: string): Promise<Flag> {
  if (isId(flag)) return client.getFlag(Number(flag));
  // Services since 2026 hide archived flags from the list (docs/service.md, "Flag list").
  for (const query of [{ key: flag }, { key: flag, archived: true }]) {
    for await (const candidate of client.pageFlags(query)) if (candidate.key === flag) return candidate;
  }
  throw new FlagwrightError('service_refused', `The project lists no flag with the key ${flag}.`, {
    remedy: 'flagwright flags list shows the keys. A soft-deleted flag can only be found by its id.',
  });
}

/** The flag, or its id alone where that is what the user named: no request. */
export async function findFlagOrId(client: ServiceClient, flag: string): Promise<Flag | Pick<Flag, 'id'>> {
  return isId(flag) ? { id: Number(flag) } : findFlag(client, flag);
}

export async function flagId(client: ServiceClient, flag: string): Promise<number> {
  return isId(flag) ? Number(flag) : (await findFlag(client, flag)).id;
}

function isId(flag: string): boolean {
  return /^\d{1,15}$/.test(flag);
}

export function declareGroup(parent: Command, group: ResourceGroup, choose: Choose): void {
  for (const row of group.commands) {
    const command = parent
      .command(row.name)
      .summary(row.summary)
      .description([`${upperFirst(row.summary)}.`, row.description ?? ''].join(' ').trim());
    for (const parameter of Object.values(row.parameters)) declareParameter(command, parameter);
    if (row.columns !== undefined) {
      command.option('--columns <names>', `columns to show, for example ${row.columns.join(',')}`, splitNames);
    }
    if (row.question !== undefined) command.option('-y, --yes', 'skip the confirmation; required without a terminal');
    command
      .addHelpText(
        'after',
        helpEnd(`/${parent.name()}`, { ...row, exits: row.question === undefined ? {} : { 4: NOT_CONFIRMED } }),
      )
      .action((...given: unknown[]) => {
        const { columns, yes } = command.opts<CommandValues>();
        const values = { ...readValues(row.parameters, command, given), ...defined({ columns, yes }) };
        choose(async (session) =>
          (await import('./execute.ts')).execute(session, { group, row, values, name: parent.name() }),
        );
      });
  }
  // Hidden commands answer a guess with the right command.
  for (const [name, remedy] of Object.entries(group.elsewhere)) {
    parent
      .command(name, { hidden: true })
      .argument('[anything...]')
      .allowUnknownOption()
      .action(() =>
        choose(async () => (await import('./execute.ts')).refuseElsewhere(`${parent.name()} ${name}`, remedy)),
      );
  }
}

function splitNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

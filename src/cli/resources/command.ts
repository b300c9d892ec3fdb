/** What a command on a resource is: a row of a table, from which command line, help and behaviour are made. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { ServiceClient } from '../../posthog/client/client.ts';
import type { Parameter, Parameters, Values } from './parameters.ts';

/** The commands of one resource, `flagwright persons …`; its heading is in `groups.ts`. */
export interface ResourceGroup {
  /** Scope of an API key, `person`; reading needs `person:read`. */
  readonly scope: string;
  /** What the service allows to this resource, where that is less than to others. */
  readonly requestsPerMinute?: number;
  readonly commands: readonly ResourceCommand[];
  /** Commands that people look for here, and where to find what they want. */
  readonly elsewhere: Readonly<Record<string, string>>;
}

export interface ResourceCommand {
  readonly name: string;
  readonly summary: string;
  /** More than the summary says. */
  readonly description?: string;
  readonly examples: readonly string[];
  /** Methods of the client that it calls. */
  readonly operations: readonly (keyof ServiceClient)[];
  readonly parameters: Parameters;
  /** Columns of a table and of CSV; absent where the answer is one record. */
  readonly columns?: readonly string[];
  /** Columns of CSV where a record has more than a screen shows. */
  readonly csvColumns?: readonly string[];
  /** Asked before anything is done. */
  readonly question?: (values: CommandValues) => string;
  readonly run: (client: ServiceClient, values: CommandValues) => ResourceAnswer | Promise<ResourceAnswer>;
}

/** Values of parameters by their names in the row; the type of each is its parameter's. */
export type CommandValues = Readonly<Record<string, unknown>>;

export type ResourceAnswer =
  /** Read as they are printed. */
  | {
      readonly kind: 'records';
      readonly records: AsyncIterable<JsonObject> | Iterable<JsonObject>;
      /** At most so many are printed. */
      readonly limit?: number;
      /** What `--format json` prints in place of the records: the answer as it came. */
      readonly document?: JsonValue;
    }
  | { readonly kind: 'record'; readonly record: JsonObject }
  /** A write: words for people, a record for programs. */
  | { readonly kind: 'done'; readonly text: string; readonly record: JsonObject };

/** A row with its types: `run` gets what the parameters say. */
interface TypedCommand<P extends Parameters> extends Omit<ResourceCommand, 'parameters' | 'question' | 'run'> {
  readonly parameters: P;
  readonly question?: (values: Values<P>) => string;
  readonly run: (client: ServiceClient, values: Values<P>) => ResourceAnswer | Promise<ResourceAnswer>;
}

/** Checks a row against its own parameters, and forgets their types so that rows fit in one table. */
export function command<P extends Readonly<Record<string, Parameter<unknown>>>>(row: TypedCommand<P>): ResourceCommand {
  return row as unknown as ResourceCommand;
}

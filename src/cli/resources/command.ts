/** A resource command: a row of a table that defines its command line, help and behaviour. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import type { Parameter, Parameters, ParameterValues } from '../line/parameters.ts';

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
}

/** Values of parameters by their names in the row, each of the type of its parameter. */
export type CommandValues = Readonly<Record<string, unknown>>;

export type ResourceAnswer =
  /** Read while they are printed. */
  | {
      readonly kind: 'records';
      readonly records: AsyncIterable<JsonObject> | Iterable<JsonObject>;
      /** The maximum number of printed records. */
      readonly limit?: number;
      /** The output of `--format json` instead of the records: the response of the service. */
      readonly document?: JsonValue;
      /** Text lays the records out as what they are, unless the user chooses columns. */
      readonly layout?: 'activity';
    }
  /** `layout`: text lays it out as what it is. */
  | { readonly kind: 'record'; readonly record: JsonObject; readonly layout?: 'flag' }
  /** A write: a sentence for people, a record for programs. */
  | { readonly kind: 'done'; readonly text: string; readonly record: JsonObject };

/** A row with its types: the parameters define the values of `run`. */
interface TypedCommand<P extends Parameters> extends Omit<ResourceCommand, 'parameters' | 'question' | 'run'> {
  readonly parameters: P;
  readonly question?: (values: ParameterValues<P>) => string;
  readonly run: (client: ServiceClient, values: ParameterValues<P>) => ResourceAnswer | Promise<ResourceAnswer>;
}

/** Checks a row against its own parameters, then erases their types so that all rows fit in one table. */
export function command<P extends Readonly<Record<string, Parameter<unknown>>>>(row: TypedCommand<P>): ResourceCommand {
  return row as unknown as ResourceCommand;
}

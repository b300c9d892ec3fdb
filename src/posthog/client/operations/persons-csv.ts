/**
 * The persons of the service as CSV, made by the service and handed on as it comes.
 *
 * `format=csv` is documented for every operation on persons. The real service exports a list whole, up to a bound of
 * its own, and does not look at the paging (docs/service.md, "Persons"). Text is as the service wrote it: what begins
 * with `=` is a formula to a spreadsheet.
 */

import type { Operations, RequestSpec } from '../request-spec.ts';
import { mapSpecs, type Specs } from '../specs.ts';
import { personPageSpec, personSpecs, type PersonListing, type PersonOperations } from './persons.ts';
import { personAnalysisSpecs, type PersonAnalysisOperations } from './persons-analysis.ts';
import { personInsightSpecs, type PersonInsightOperations } from './persons-insight.ts';

/**
 * The operations on persons with `format=csv`, with the same arguments. Each gives bytes that are read no faster than
 * they are used; the request is sent with the first of them. Fails with `ServiceError`: `invalid_answer` where the
 * service answers in another format, and `network` or `timeout` also halfway, when what came is not all.
 */
export type PersonCsvOperations = {
  readonly [Name in keyof AnsweringOperations]: (
    ...args: Parameters<AnsweringOperations[Name]>
  ) => AsyncIterable<Uint8Array>;
};

/** A delete answers with nothing, in any format. */
type AnsweringOperations = PersonListing &
  Omit<PersonOperations, 'deletePerson'> &
  PersonInsightOperations &
  PersonAnalysisOperations;

export function personCsvOperations({ download, projectPath }: Operations): PersonCsvOperations {
  const { deletePerson: _answersNothing, ...persons } = personSpecs(projectPath);
  const specs: Specs<Omit<AnsweringOperations, 'listPersons'>> = {
    ...persons,
    ...personInsightSpecs(projectPath),
    ...personAnalysisSpecs(projectPath),
  };
  const asCsv = ({ operation, method, path, query, body, repeat }: RequestSpec<unknown>): AsyncIterable<Uint8Array> =>
    download({
      operation,
      method,
      path,
      query: { ...query, format: 'csv' },
      ...(body === undefined ? {} : { body }),
      repeat,
      accept: 'text/csv',
    });
  const others = mapSpecs(specs, asCsv) as Omit<PersonCsvOperations, 'listPersons'>;
  return {
    ...others,
    listPersons: (query = {}) =>
      asCsv(personPageSpec(projectPath, query, { limit: query.pageSize, offset: query.offset })),
  };
}

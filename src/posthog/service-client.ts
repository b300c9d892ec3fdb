/** The client of the service: the typed operations of every kind over one connection. */

import { connect, type ClientOptions, type Connection } from './client/connection.ts';
import { alertOperations, type AlertOperations } from './client/operations/alerts.ts';
import { currentKeyOperations, type CurrentKeyOperations } from './client/operations/current-key.ts';
import { flagInsightOperations, type FlagInsightOperations } from './client/operations/flag-insight.ts';
import {
  changeRequestOperations,
  type ChangeRequestOperations,
  scheduledChangeOperations,
  type ScheduledChangeOperations,
} from './client/operations/pending-changes.ts';
import {
  personCsvOperations,
  type PersonCsvOperations,
  personListing,
  personSpecs,
  type PersonListing,
  type PersonOperations,
} from './client/operations/persons.ts';
import { sendEach } from './client/request-spec.ts';
import { cohortOperations, type CohortOperations } from './cohort/requests.ts';
import { earlyAccessOperations, type EarlyAccessOperations } from './early-access/requests.ts';
import { flagOperations, type FlagOperations } from './flag/requests.ts';
import { roleAccessOperations, type RoleAccessOperations } from './role-access/requests.ts';

/** Every operation rejects with `ServiceError`; each one documents its usual failures. */
export interface ServiceClient
  extends
    FlagOperations,
    FlagInsightOperations,
    RoleAccessOperations,
    CohortOperations,
    EarlyAccessOperations,
    ScheduledChangeOperations,
    ChangeRequestOperations,
    AlertOperations,
    CurrentKeyOperations,
    PersonListing,
    PersonOperations,
    Omit<Connection, 'operations'> {
  /** The operations on persons with CSV answers. */
  readonly csv: PersonCsvOperations;
}

/** @throws {FlagwrightError} `config_invalid` for a host or a key that cannot be used. Nothing is sent until an operation is called. */
export function createClient(options: ClientOptions): ServiceClient {
  const { operations, ...connection } = connect(options);
  const { send, projectPath } = operations;
  return {
    ...flagOperations(operations),
    ...flagInsightOperations(operations),
    ...roleAccessOperations(operations),
    ...cohortOperations(operations),
    ...earlyAccessOperations(operations),
    ...scheduledChangeOperations(operations),
    ...changeRequestOperations(operations),
    ...alertOperations(operations),
    ...currentKeyOperations(operations),
    ...personListing(operations),
    ...sendEach<PersonOperations>(personSpecs(projectPath), send),
    csv: personCsvOperations(operations),
    ...connection,
  };
}

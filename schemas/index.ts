/** The published schemas. */

import type { Keywords } from '../src/base/schema.ts';
import { joinSchema, type Document } from './join.ts';
import { acceptDocument } from './documents/accept.ts';
import { catalogDocument } from './documents/catalog.ts';
import { configDocument } from './documents/config.ts';
import { doctorDocument } from './documents/doctor.ts';
import { errorDocument } from './documents/error.ts';
import { exceptionsDocument } from './documents/exceptions.ts';
import { expectationsDocument } from './documents/expectations.ts';
import { explainDocument } from './documents/explain.ts';
import { faultsDocument } from './documents/faults.ts';
import { filesDocument } from './documents/files.ts';
import { historyDocument } from './documents/history.ts';
import { manifestDocument } from './documents/manifest.ts';
import { parityDocument } from './documents/parity.ts';
import { planDocument } from './documents/plan.ts';
import { projectListDocument } from './documents/project-list.ts';
import { projectsDocument } from './documents/projects.ts';
import { promoteDocument } from './documents/promote.ts';
import { referencesDocument } from './documents/references.ts';
import { refsDocument } from './documents/refs.ts';
import { rehearsalDocument } from './documents/rehearsal.ts';
import { resultDocument } from './documents/result.ts';
import { seedDocument } from './documents/seed.ts';
import { snapshotDocument } from './documents/snapshot.ts';
import { staleDocument } from './documents/stale.ts';
import { testDocument } from './documents/test.ts';
import { undoDocument } from './documents/undo.ts';
import { validationDocument } from './documents/validation.ts';
import { verdictsDocument } from './documents/verdicts.ts';

const DOCUMENTS: readonly Document[] = [
  acceptDocument,
  catalogDocument,
  configDocument,
  doctorDocument,
  errorDocument,
  exceptionsDocument,
  expectationsDocument,
  explainDocument,
  faultsDocument,
  filesDocument,
  historyDocument,
  manifestDocument,
  parityDocument,
  planDocument,
  projectListDocument,
  projectsDocument,
  promoteDocument,
  referencesDocument,
  refsDocument,
  rehearsalDocument,
  resultDocument,
  seedDocument,
  snapshotDocument,
  staleDocument,
  testDocument,
  undoDocument,
  validationDocument,
  verdictsDocument,
];

/** The contents of `schemas/*.schema.json`, by name. */
export const SCHEMAS: ReadonlyMap<string, Keywords> = new Map(
  DOCUMENTS.map((document) => [document.name, joinSchema(document)]),
);

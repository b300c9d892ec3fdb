// What a job leaves for its later steps: a message to a chat about what it did, and the catalog of the flags, as a page to keep or publish.

import { mkdirSync, readFileSync } from 'node:fs';
import { forget, isWritten, putOutput } from './documents.mjs';
import { Failure } from './failure.mjs';
import { sayWarning } from './say.mjs';
import { runFlagwright } from './shell.mjs';

const MESSAGE = 'flag-message';
const FORMS = ['message', 'slack', 'teams'];

/** What asks for it on the command line, where the job has FLAG_MESSAGE. */
export function askForMessage({ FLAG_MESSAGE: form = '' }) {
  forget(MESSAGE);
  if (form === '') return [];
  if (!FORMS.includes(form))
    throw new Failure(`FLAG_MESSAGE is ${JSON.stringify(form)}. Use one of: ${FORMS.join(', ')}.`);
  return ['--report', `${form}=${MESSAGE}`];
}

/** A message of one line has nothing to tell, so nothing is left to post. */
export function dropQuietMessage() {
  if (isWritten(MESSAGE) && readFileSync(MESSAGE, 'utf8').trimEnd().split('\n').length === 1) forget(MESSAGE);
}

const CATALOG = 'flag-catalog';
const PLACES = ['artifact', 'pages'];

/** Before the job does anything: a value with a mistake must not end it in the middle. */
export function placeOfCatalog({ FLAG_CATALOG: place = '' }) {
  forget(CATALOG);
  if (place === '' || PLACES.includes(place)) return place;
  throw new Failure(`FLAG_CATALOG is ${JSON.stringify(place)}. Use one of: ${PLACES.join(', ')}.`);
}

/** The flags are as the job left them, whether or not a page about them can be written. */
export async function writeCatalog(job, place) {
  if (place === '') return;
  const { project, repository, env } = job;
  const page = `${CATALOG}/index.html`;
  mkdirSync(CATALOG, { recursive: true });
  const code = await runFlagwright(
    ['catalog', '--project', project, '--format', 'html', '--output', page, ...verdictsOf(env)],
    repository.withApplied(env),
  );
  if (isWritten(page)) putOutput(job, { name: 'catalog', value: place });
  else sayWarning(env, `No catalog was written (exit code ${code}): see the log above.`);
}

/** Most jobs that write the page have no such file, and a guard without one holds: that is no mistake. */
function verdictsOf({ FLAG_VERDICTS: file = '' }) {
  return file !== '' && isWritten(file) ? ['--verdicts', file] : [];
}

// A message to a chat about what a job did, which a later step of the job posts.

import { readFileSync } from 'node:fs';
import { forget, isWritten } from './documents.mjs';
import { Failure } from './failure.mjs';

const FILE = 'flag-message';
const FORMS = ['message', 'slack', 'teams'];

/** What asks for it on the command line, where the job has FLAG_MESSAGE. */
export function askForMessage({ FLAG_MESSAGE: form = '' }) {
  forget(FILE);
  if (form === '') return [];
  if (!FORMS.includes(form))
    throw new Failure(`FLAG_MESSAGE is ${JSON.stringify(form)}. Use one of: ${FORMS.join(', ')}.`);
  return ['--report', `${form}=${FILE}`];
}

/** A message of one line has nothing to tell, so nothing is left to post. */
export function dropQuietMessage() {
  if (isWritten(FILE) && readFileSync(FILE, 'utf8').trimEnd().split('\n').length === 1) forget(FILE);
}

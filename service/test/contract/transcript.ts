/** Keeps what each operation answered, whole, so that a member or a sentence that no behaviour names cannot change unseen. */

import { objectOrEmpty, type JsonObject } from '../../../src/base/json.ts';
import type { Answered } from './runner.ts';

export interface Transcript {
  add(answered: Answered): void;
  /** `host`: of the service, which is another one in each run. */
  text(host: string): string;
}

/** Further answers of one operation rarely have members that the first ones lack; refusals differ in their sentences. */
const MOST_ANSWERS = 2;

export function createTranscript(): Transcript {
  const answers = new Map<string, Set<string>>();
  return {
    add({ method, path, status, contentType, text }) {
      if (path === '/openapi.json') return;
      const operation = `${method} ${(path.split('?')[0] ?? '').replaceAll(/\/(?:\d+|[0-9a-f-]{36})(?=\/)/g, '/…')}`;
      const own = answers.get(operation) ?? new Set();
      answers.set(operation, own);
      const told = `${status} ${contentType}\n${text}`.trim();
      if (status >= 400 || own.size < MOST_ANSWERS) own.add(told);
    },
    text: (host) =>
      [...answers]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([operation, all]) => [`### ${operation}`, ...all, ''].join('\n'))
        .join('\n')
        .replaceAll(host, 'HOST')
        // Each release of Node.js says in its own words what is wrong with a JSON text.
        .replaceAll(/(?<=JSON parse error - )[^"]*/g, '…'),
  };
}

/** The OpenAPI document with a line for each path and each schema. */
export function describeInterface(document: JsonObject): string {
  const { paths, components, ...rest } = document;
  const { schemas, ...others } = objectOrEmpty(components);
  const lines = [objectOrEmpty(paths), objectOrEmpty(schemas)].flatMap((all) =>
    Object.entries(all).map(([name, one]) => `${name}\n${JSON.stringify(one)}\n`),
  );
  return [JSON.stringify({ ...rest, components: others }), '', ...lines].join('\n');
}

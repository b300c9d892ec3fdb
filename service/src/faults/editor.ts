/** Simulates another user: sends a request through the same handlers, in that user's name, in addition to the matched one. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { answer } from '../answering/answer.ts';
import type { AnsweringOptions, ServiceRequest } from '../answering/request.ts';
import type { Answer, ServiceContext } from '../handler/call.ts';
import { answerFor } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { EditEffect } from './script.ts';

const EDITOR: JsonObject = {
  id: 2,
  uuid: '018a0000-0000-7000-8000-0000000000e2',
  distinct_id: 'another-user',
  first_name: 'Another',
  email: 'another.user@example.org',
};

export interface InjectedAnswer {
  readonly path: string;
  readonly answer: Answer;
  /** The error behind a 500. */
  readonly error?: unknown;
}

/** Sends the edit; a refusal is also an answer. */
export function edit(effect: EditEffect, beside: ServiceRequest, options: AnsweringOptions): InjectedAnswer {
  const path = fillPath(effect, beside, options.context);
  const request: ServiceRequest = {
    method: effect.method,
    target: path,
    origin: beside.origin,
    authorization: 'Bearer another-user',
    contentType: 'application/json',
    body: Buffer.from(effect.body === undefined ? '' : stringifyJson(effect.body)),
  };
  try {
    const asEditor = { ...options, context: seenByEditor(options.context), apiKeys: undefined, checkRate: () => {} };
    return { path, answer: answer(request, asEditor) };
  } catch (error) {
    const refusal = answerFor(error);
    return { path, answer: refusal, ...(refusal.status === 500 && { error }) };
  }
}

/**
 * `{id}` is the id of the flag in the matched request, `{flag:KEY}` the id of the flag with that key; 0 where there is
 * no such flag.
 */
function fillPath({ path }: EditEffect, { target }: ServiceRequest, { store }: ServiceContext): string {
  const [, project = '', id = '0'] = /^\/api\/[^/]+\/([^/]+)(?:\/feature_flags\/(\d+))?/.exec(target) ?? [];
  const filled = path
    .replaceAll('{id}', id)
    .replaceAll(/\{flag:([^}]+)\}/g, (_whole, key: string) => String(store.flags.findByKey(project, key)?.id ?? 0));
  return `/api/projects/${project}/${filled}`;
}

/** The same store, but with every write in the name of the editor. */
function seenByEditor(context: ServiceContext): ServiceContext {
  const { store } = context;
  const { flags, activity } = store;
  const user = { first_name: EDITOR['first_name'], email: EDITOR['email'] };
  const signed = <F extends Pick<StoredFlag, 'fields'>>(flag: F, extra: JsonObject = {}): F => ({
    ...flag,
    fields: { ...flag.fields, last_modified_by: EDITOR, ...extra },
  });
  return {
    ...context,
    store: {
      ...store,
      flags: {
        ...flags,
        insert: (flag) => flags.insert(signed(flag, { created_by: EDITOR })),
        update: (flag) => flags.update(signed(flag)),
      },
      activity: { ...activity, add: (entry, of) => activity.add({ ...entry, user }, of) },
    },
  };
}

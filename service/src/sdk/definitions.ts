/** Answers polls for flag definitions; 304 if they have not changed. */

import type { JsonObject } from '../../../src/base/json.ts';
import { keepText } from '../handler/body-text.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { definitions } from '../flag-values/definitions.ts';
import { localDefinitions } from '../flag-values/local-evaluation.ts';
import { createHash } from 'node:crypto';

/** `/flags/definitions`, in today's form in both profiles: only today's SDKs request it. */
export function sdkDefinitions(service: ServiceContext, call: Call): Answer {
  return unlessSame(call, definitions(service, call.projectId));
}

/** `/api/feature_flag/local_evaluation`, for older SDKs. */
export function sdkLocalEvaluation(service: ServiceContext, call: Call): Answer {
  return unlessSame(call, localDefinitions(service, call));
}

function unlessSame(call: Call, body: JsonObject): Answer {
  return unlessKnown(call, hashOf(body), body);
}

const hashes = new WeakMap<JsonObject, string>();

function hashOf(body: JsonObject): string {
  const hash = hashes.get(body) ?? hashTexts(keepText(body));
  hashes.set(body, hash);
  return hash;
}

export function hashTexts(...texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 32);
}

/** The hash covers all that the body depends on. */
export function unlessKnown({ ifNoneMatch = '' }: Call, hash: string, body: JsonObject): Answer {
  const headers = { ETag: `W/"${hash}"`, 'Cache-Control': 'private, must-revalidate' };
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known.includes(`"${hash}"`) || known.includes('*')) return { status: 304, headers };
  return { status: 200, headers, body };
}

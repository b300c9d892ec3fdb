/** Answers polls for flag definitions; 304 if they have not changed. */

import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../src/base/json.ts';
import { keepText } from '../handler/body-text.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { definitions } from '../flag-values/definitions.ts';
import { localDefinitions } from '../flag-values/local-evaluation.ts';

/** `/flags/definitions`, in today's form in both profiles: only today's SDKs request it. */
export function sdkDefinitions(service: ServiceContext, call: Call): Answer {
  return unlessKnown(call, definitions(service, call.projectId));
}

/** `/api/feature_flag/local_evaluation`, for older SDKs. */
export function sdkLocalEvaluation(service: ServiceContext, call: Call): Answer {
  return unlessKnown(call, localDefinitions(service, call));
}

function unlessKnown({ ifNoneMatch = '' }: Call, body: JsonObject): Answer {
  const hash = hashOf(body);
  const headers = { ETag: `W/"${hash}"`, 'Cache-Control': 'private, must-revalidate' };
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known.includes(`"${hash}"`) || known.includes('*')) return { status: 304, headers };
  return { status: 200, headers, body };
}

const hashes = new WeakMap<JsonObject, string>();

function hashOf(body: JsonObject): string {
  const hash = hashes.get(body) ?? createHash('sha256').update(keepText(body)).digest('hex').slice(0, 32);
  hashes.set(body, hash);
  return hash;
}

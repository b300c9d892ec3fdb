/** The flag definitions that SDKs poll; what has not changed since is 304 and nothing more. */

import { createHash } from 'node:crypto';
import { stringifyJson } from '../../base/json-text.ts';
import type { JsonValue } from '../../base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { definitions } from '../flag-values/definitions.ts';
import { localEvaluation } from '../flag-values/local-evaluation.ts';

/** `/flags/definitions`, in today's form whatever the profile: only SDKs of today ask. */
export function sdkDefinitions(service: ServiceContext, call: Call): Answer {
  return unlessKnown(call, definitions(service, call.projectId));
}

/** `/api/feature_flag/local_evaluation`, which older SDKs ask. */
export function sdkLocalEvaluation(service: ServiceContext, call: Call): Answer {
  return unlessKnown(call, localEvaluation(service, call).body ?? null);
}

function unlessKnown({ ifNoneMatch = '' }: Call, body: JsonValue): Answer {
  const hash = createHash('sha256').update(stringifyJson(body)).digest('hex').slice(0, 32);
  const headers = { ETag: `W/"${hash}"`, 'Cache-Control': 'private, must-revalidate' };
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known.includes(`"${hash}"`) || known.includes('*')) return { status: 304, headers };
  return { status: 200, headers, body };
}

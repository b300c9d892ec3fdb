/** Answers a poll: 304 if the asker already has the body. */

import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Answer, Call } from '../handler/call.ts';

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

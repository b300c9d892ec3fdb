/** Who edited a flag last, as the flag itself says (docs/service.md, "Flags"). */

import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { LastEdit } from '../../engine/change.ts';
import type { Flag } from './flag.ts';

/** `undefined` where the service names neither user nor time, as it did until 2025. */
export function readLastEdit({ last_modified_by: user, updated_at: at }: Flag): LastEdit | undefined {
  const by = readUser(user);
  if (by === undefined && typeof at !== 'string') return undefined;
  return defined({ by, at: at ?? undefined });
}

function readUser(user: JsonValue | undefined): string | undefined {
  if (!isJsonObject(user)) return undefined;
  const { email, first_name: name } = user;
  return [email, name].find((text): text is string => typeof text === 'string' && text !== '');
}

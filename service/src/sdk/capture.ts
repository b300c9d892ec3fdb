/** Stores events from SDKs, and creates persons and groups from them as the real service does. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { parseMicroseconds, parseTimestamp } from '../format/timestamp.ts';
import { listEvents, readEvent } from './event.ts';
import { ingestGroup } from './ingest-group.ts';
import { ingestPerson } from './ingest-person.ts';

/** Invalid events are skipped, since SDKs do not read the answer. */
export function capture(service: ServiceContext, call: Call): Answer {
  const sent = listEvents(call.body ?? null);
  service.store.transaction(() => {
    for (const event of sent) ingest(service, call.projectId, event);
  });
  return { status: 200, body: { status: 1 } };
}

function ingest(service: ServiceContext, projectId: string, sent: JsonObject): void {
  const event = readEvent(sent);
  if (event === undefined) return;
  const { name, distinctId, properties } = event;
  if (properties['$process_person_profile'] !== false) ingestPerson(service, projectId, event);
  if (name === '$groupidentify') ingestGroup(service, projectId, properties);
  const uuid = typeof sent['uuid'] === 'string' ? sent['uuid'] : service.randomUuid();
  service.store.events.insert({ projectId, uuid, name, distinctId, time: readTime(service, sent), properties });
}

function readTime({ now }: ServiceContext, { timestamp }: JsonObject): number {
  const time = typeof timestamp === 'string' ? parseTimestamp(timestamp) : undefined;
  return time === undefined ? now().getTime() : Math.floor(parseMicroseconds(time) / 1000);
}

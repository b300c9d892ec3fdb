/** The activity log of all persons, or of one. */

import { listActivity } from '../activity/read.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { findPerson } from './find.ts';

export function personsActivity(service: ServiceContext, call: Call): Answer {
  return listActivity(service, call, { scope: 'Person', itemId: null });
}

export function personActivity(service: ServiceContext, call: Call): Answer {
  return listActivity(service, call, { scope: 'Person', itemId: findPerson(service, call).id });
}

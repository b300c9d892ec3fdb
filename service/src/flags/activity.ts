/** The activity log of all flags, or of one. */

import { listActivity } from '../activity/read.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { findFlag } from './find.ts';

export function projectActivity(service: ServiceContext, call: Call): Answer {
  return listActivity(service, call, { scope: 'FeatureFlag', itemId: null });
}

export function flagActivity(service: ServiceContext, call: Call): Answer {
  return listActivity(service, call, { scope: 'FeatureFlag', itemId: findFlag(service, call).id });
}

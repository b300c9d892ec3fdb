/** Leads from what is recorded here to what the service records. */

import { shellWord } from './ways-out.ts';

/** `project`: its name. */
export function activityNote(key: string, project: string): string {
  return `Every edit of the flag: flagwright flags activity ${shellWord(key)} -p ${shellWord(project)}`;
}

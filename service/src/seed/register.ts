/** Stores the roles and cohorts that the configuration names: roles of the organization, and cohorts of a project. */

import { formatTimestamp } from '../format/timestamp.ts';
import { type ServiceContext, EMBEDDED_MEMBER_ID, EMBEDDED_USER } from '../handler/call.ts';
import { EDITOR_LEVEL } from '../store/people.ts';

export interface SeededProject {
  readonly id: string;
  /** Role names and their ids (UUIDs). */
  readonly roles?: Readonly<Record<string, string>>;
  /** Cohort names and their ids. */
  readonly cohorts?: Readonly<Record<string, number>>;
}

export function registerProjects({ store, now }: ServiceContext, projects: readonly SeededProject[]): void {
  const createdAt = formatTimestamp(now());
  store.transaction(() => {
    store.organization.addMember({ id: EMBEDDED_MEMBER_ID, user: EMBEDDED_USER, joinedAt: createdAt });
    for (const project of projects) {
      for (const [name, id] of Object.entries(project.roles ?? {})) {
        store.roles.put({ id, name, accessLevel: EDITOR_LEVEL, createdAt });
      }
      for (const [name, id] of Object.entries(project.cohorts ?? {})) {
        store.cohorts.register(project.id, { id, name });
      }
    }
  });
}

/** Names of resources, as options have them: the key of a flag, or the key after its kind, `cohort:ALIAS`; and the words for their kinds. */

import { refTo, type Change, type LastEdit } from '../../core/engine/change.ts';
import type { KindTypes, OwnKind, KindName } from '../kind-types.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';
import type { JsonValue } from '../../base/json.ts';

/** The page of each kind in the web interface, and the section of those of their own; the first one is the main family. */
const KINDS: {
  readonly [Kind in KindName]: Pick<KindTypes[Kind], 'section' & keyof KindTypes[Kind]> & { readonly page: string };
} = {
  flag: { section: 'flags', page: 'feature_flags' },
  cohort: { section: 'cohorts', page: 'cohorts' },
  early_access: { section: 'early_access', page: 'feature_flags' },
  role_access: { page: 'feature_flags' },
};

const isOwn = (kind: KindName): kind is OwnKind => 'section' in KINDS[kind];
const [MAIN, ...FURTHER] = (Object.keys(KINDS) as KindName[]).filter(isOwn) as [OwnKind, ...OwnKind[]];

/** A resource, by its key within its family. */
interface NamedResource {
  readonly kind: OwnKind;
  readonly section: KindTypes[OwnKind]['section'];
  readonly key: string;
}

/** The key of a flag contains no colon. */
export function readName(name: string): NamedResource {
  const kind = FURTHER.find((one) => name.startsWith(refTo(one, ''))) ?? MAIN;
  return { kind, section: KINDS[kind].section, key: kind === MAIN ? name : name.slice(refTo(kind, '').length) };
}

/** The name of a resource in options and safety rules. */
export function nameResource(kind: OwnKind, key: string): string {
  return kind === MAIN ? key : refTo(kind, key);
}

/** Whether the name is that of a flag. */
export function isOfMain(name: string): boolean {
  return readName(name).kind === MAIN;
}

/**
 * The kind of the change with a ref, and the key of its resource. Keys may contain colons; what has access stands last. The ref of a switched flag begins with `flag_active`. A plan that was written by hand
 * may have any ref: it is read as a flag's.
 */
export function readRef(ref: string): { readonly kind: KindName; readonly key: string } {
  const name = ref.slice(0, Math.max(ref.indexOf(':'), 0));
  const kind = Object.hasOwn(KINDS, name) ? (name as KindName) : MAIN;
  return { kind, key: ref.slice(ref.indexOf(':') + 1, kind === 'role_access' ? ref.lastIndexOf(':') : undefined) };
}

interface PageSubject {
  readonly resource: KindName;
  /** The id of the flag for access and early access features. */
  readonly id?: ResourceId;
}

/** `undefined` for the embedded service, which has no web interface, and for what does not exist yet. */
export function pageUrl(project: ProjectIdentity, { resource, id }: PageSubject): string | undefined {
  return id === undefined ? undefined : pagesUrl(project, `${KINDS[resource].page}/${id}`);
}

/** The page of all flags. */
export function flagPages(project: ProjectIdentity): string | undefined {
  return pagesUrl(project, KINDS.flag.page);
}

function pagesUrl({ host, project_id: project }: ProjectIdentity, page: string): string | undefined {
  if (!host.startsWith('http')) return undefined;
  const base = host.replace(/\/+$/, '');
  return /^\d+$/.test(project) ? `${base}/project/${project}/${page}` : `${base}/${page}`;
}

/** `undefined` for the embedded service, which has no web interface. */
export function changeRequestUrl({ host, project_id: project }: ProjectIdentity, id: string): string | undefined {
  if (!host.startsWith('http') || !/^\d+$/.test(project)) return undefined;
  return `${host.replace(/\/+$/, '')}/project/${project}/approvals/${encodeURIComponent(id)}`;
}

export interface Labels<KindChange extends Change = Change> {
  /** One of the resources, after a number: `flag`. */
  readonly noun: string;
  /** The plural: `flags`. */
  readonly plural: string;
  /** Added to a key that would otherwise name the flag: ` (role access)`. */
  readonly qualifier: string;
  /** The label of a JSON pointer into the resource. No two pointers have the same label. */
  readonly field: (pointer: string) => string;
  /** The unit of a number at the pointer: `%`, or nothing. */
  readonly unit: (pointer: string) => string;
  /** The value that an absent value at the pointer stands for; `undefined` if it stands for none. */
  readonly absent: (pointer: string) => JsonValue | undefined;
  /** The ids of the resource in the service, `id 12`; a detailed report shows more of them. */
  readonly identity: (change: KindChange, detailed: boolean) => readonly string[];
  /** Added to the key in the line of a change: ` to engineering`, or nothing. */
  readonly target: (change: KindChange, quote: Quote) => string;
  /** Added to the key in the line of a drift report: what differs. */
  readonly drift: (change: KindChange, quote: Quote) => string;
  /** Sentences about effects of the change beyond its fields. */
  readonly consequences: (change: KindChange, quote: Quote) => readonly string[];
  /** The last editor of the live resource, and the time, if the service states them. */
  readonly lastEdit: (change: KindChange) => LastEdit | undefined;
  /** Precedes the key of a change that another change needs: `a grant on `, or nothing. */
  readonly need: string;
  /** How manifests delete a resource of the kind; absent for one that is attached to another. */
  readonly deletionHint?: string;
  /** The member of a result document for the id that the service returned; absent where it is not known which one that is. */
  readonly answeredId: (change: KindChange) => 'id' | 'entry_id' | undefined;
}

/** The words of a kind with resources of its own, `KIND:KEY`, where it has no others. The service does not say who edited one last. */
export const OWN_LABELS: Omit<Labels, 'noun' | 'plural' | 'qualifier' | 'field' | 'identity' | 'drift'> = {
  unit: () => '',
  absent: () => undefined,
  target: () => '',
  consequences: () => [],
  lastEdit: () => undefined,
  need: '',
  answeredId: () => 'id',
};

/** Shortens and escapes a name. */
export type Quote = (text: string) => string;

/** GitHub's and GitLab's interface for comments and requests on a port of this machine, with the faults that a test asks for. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { startStorage } from './forge-storage.ts';
import { githubForks, type ForkState } from './forge-forks.ts';
import { githubReviews, gitlabReviews, type ReviewState } from './forge-reviews.ts';
import { githubPage, gitlabPage } from './forge-pages.ts';
import { isPermitted, type Rights } from './forge-rights.ts';

interface Comment {
  readonly id: number;
  readonly author: string;
  text: string;
}

interface ForgeRequest {
  readonly number: number;
  readonly branch: string;
  readonly target: string;
  readonly title: string;
  text: string;
  isOpen: boolean;
}

/** Answers of the next matching requests. */
export interface Fault {
  /** Like `POST /comments`: a method and a part of the path. */
  readonly on: string;
  readonly times?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The request is carried out, and its answer is lost. */
  readonly isLost?: boolean;
  /** The request is carried out, and its answer breaks off. */
  readonly isTruncated?: boolean;
  /** No answer ever comes. */
  readonly isSilent?: boolean;
  /** Called instead of an answer; the request is then carried out. */
  readonly meanwhile?: (forge: Forge) => void;
}

export interface Forge extends ReviewState, ForkState {
  readonly url: string;
  readonly comments: Comment[];
  /** Of GitLab: notes that the token may not read. */
  readonly hiddenNotes: number[];
  readonly requests: ForgeRequest[];
  /** Branches that were deleted by a request. */
  readonly deletedBranches: string[];
  /** Methods and paths, in order. */
  readonly log: string[];
  readonly faults: Fault[];
  /** Of GitHub: those of the job that runs; absent: all. */
  rights?: Rights;
}

export const TOKEN = 'ghs_planted_token_0123456789';
export const ME = 'github-actions[bot]';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}
interface Answer {
  readonly status: number;
  readonly value?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
type Routes = (call: Call, forge: Forge) => Answer | undefined;

export async function startGithub(): Promise<Forge> {
  const forge = await startForge(github, 'authorization', `Bearer ${TOKEN}`);
  forge.storage = await startStorage(forge);
  return forge;
}
export const startGitlab = (): Promise<Forge> => startForge(gitlab, 'private-token', TOKEN);

async function startForge(routes: Routes, header: string, credential: string): Promise<Forge> {
  const served: Call[] = [];
  const server = createServer((request, response) => {
    void readCall(request).then((call) => {
      served.push(call);
      forge.log.push(`${call.method} ${call.path}`);
      answer({ request, response, call });
    });
  });
  const answer = ({ request, response, call }: { request: IncomingMessage; response: ServerResponse; call: Call }) => {
    const fault = takeFault(forge, call);
    if (fault?.isSilent === true) return;
    if (fault?.status !== undefined) {
      response.writeHead(fault.status, fault.headers);
      response.end(typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body ?? { message: 'No' }));
      return;
    }
    fault?.meanwhile?.(forge);
    // GitHub refuses programs without a name, and so does this for both.
    const isKnown = request.headers[header] === credential && request.headers['user-agent'] === 'flagwright-ci';
    const isAllowed = forge.rights === undefined || isPermitted(call, forge.rights);
    const { status, value, headers } = !isKnown ? DENIED : isAllowed ? (routes(call, forge) ?? NOT_FOUND) : FORBIDDEN;
    if (fault?.isLost === true) {
      response.destroy();
      return;
    }
    if (fault?.isTruncated === true) {
      response.writeHead(status, { 'content-length': '100000' });
      response.write(JSON.stringify(value).slice(0, 5), () => response.destroy());
      return;
    }
    response.writeHead(status, headers);
    response.end(value === undefined ? undefined : JSON.stringify(value));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const forge: Forge = {
    url: `http://127.0.0.1:${port}`,
    comments: [],
    hiddenNotes: [],
    requests: [],
    deletedBranches: [],
    forkPulls: [],
    gitFolder: '',
    reviewed: [],
    permissions: {},
    storage: '',
    log: [],
    faults: [],
  };
  return forge;
}

const TOO_LONG: Answer = {
  status: 422,
  value: { message: 'Validation Failed', errors: [{ message: 'body is too long (maximum is 65536 characters)' }] },
};
const NOT_FOUND: Answer = { status: 404, value: { message: 'Not Found' } };
const DENIED: Answer = { status: 401, value: { message: 'Bad credentials' } };
const FORBIDDEN: Answer = { status: 403, value: { message: 'Resource not accessible by integration' } };

async function readCall(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const text = Buffer.concat(chunks).toString();
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { method: request.method ?? 'GET', path: pathname, query: searchParams, body };
}

function takeFault(forge: Forge, { method, path }: Call): Fault | undefined {
  const index = forge.faults.findIndex(({ on }) => {
    const [wanted, part = ''] = on.split(' ');
    return wanted === method && path.includes(part);
  });
  const fault = forge.faults[index];
  if (fault === undefined) return undefined;
  const left = (fault.times ?? 1) - 1;
  forge.faults.splice(index, 1, ...(left > 0 ? [{ ...fault, times: left }] : []));
  return fault;
}

const github: Routes = ({ method, path, query, body }, forge) => {
  const text = String(body['body']);
  if (path === '/repos/acme/shop/issues/7/comments' || /^\/repos\/acme\/shop\/issues\/\d+\/comments$/.test(path)) {
    if (method === 'POST' && text.length > 65_536) return TOO_LONG;
    if (method === 'POST') return { status: 201, value: addComment(forge, ME, text) };
    const comments = forge.comments.map(({ id, author, text: written }) => ({
      id,
      user: { login: author },
      body: written,
    }));
    return githubPage(comments, query);
  }
  const comment = /^\/repos\/acme\/shop\/issues\/comments\/(\d+)$/.exec(path)?.[1];
  if (comment !== undefined) return changeComment(forge, { id: Number(comment), method, text });
  const forks = method === 'GET' ? githubForks({ path, query }, forge) : undefined;
  if (forks !== undefined) return forks;
  if (path === '/repos/acme/shop/pulls' && method === 'GET') {
    const open = forge.requests.filter(({ branch, isOpen }) => isOpen && `acme:${branch}` === query.get('head'));
    return { status: 200, value: open.map(({ number }) => ({ number })) };
  }
  if (path === '/repos/acme/shop/pulls') {
    const { head, base, title } = body as Record<string, string>;
    if (hasOpen(forge, head))
      return { status: 422, value: { message: `A pull request already exists for acme:${head}.` } };
    return { status: 201, value: addRequest(forge, { branch: head, target: base, title, text }) };
  }
  const branch = /^\/repos\/acme\/shop\/git\/refs\/heads\/(.+)$/.exec(path)?.[1];
  if (branch !== undefined) {
    forge.deletedBranches.push(branch);
    return { status: 204 };
  }
  const reviews = method === 'GET' ? githubReviews({ path, query }, forge) : undefined;
  if (reviews !== undefined) return reviews;
  const number = /^\/repos\/acme\/shop\/pulls\/(\d+)$/.exec(path)?.[1];
  return changeRequest(forge, { number, text: body['body'], isClosing: body['state'] === 'closed' });
};

const gitlab: Routes = ({ method, path, query, body }, forge) => {
  const text = String(body['body']);
  const requests = '/projects/9/merge_requests';
  if (path === '/user') return { status: 200, value: { id: 42 } };
  if (path === `${requests}/7/notes`) {
    if (method === 'POST' && text.length > 1_000_000)
      return { status: 400, value: { message: { note: ['is too long (maximum is 1000000 characters)'] } } };
    if (method === 'POST') return { status: 201, value: addComment(forge, '42', text) };
    const notes = forge.comments.map(({ id, author, text: written }) => ({
      id,
      author: { id: Number(author) },
      body: written,
    }));
    return gitlabPage(notes, query, ({ id }) => !forge.hiddenNotes.includes(id));
  }
  const note = /^\/projects\/9\/merge_requests\/7\/notes\/(\d+)$/.exec(path)?.[1];
  if (note !== undefined) return changeComment(forge, { id: Number(note), method, text });
  if (path === requests && method === 'GET') {
    const open = forge.requests.filter(({ branch, isOpen }) => isOpen && branch === query.get('source_branch'));
    return { status: 200, value: open.map(({ number }) => ({ iid: number })) };
  }
  if (path === requests) {
    const { source_branch: branch, target_branch: target, title, description } = body as Record<string, string>;
    if (hasOpen(forge, branch))
      return { status: 409, value: { message: ['Another open merge request already exists for this source branch'] } };
    return { status: 201, value: addRequest(forge, { branch, target, title, text: description }) };
  }
  const reviews = method === 'GET' ? gitlabReviews({ path, query }, forge) : undefined;
  if (reviews !== undefined) return reviews;
  const number = /^\/projects\/9\/merge_requests\/(\d+)$/.exec(path)?.[1];
  return changeRequest(forge, { number, text: body['description'], isClosing: body['state_event'] === 'close' });
};

function hasOpen({ requests }: Forge, branch: string | undefined): boolean {
  return requests.some((request) => request.isOpen && request.branch === branch);
}

function addComment(forge: Forge, author: string, text: string): Comment {
  const comment = { id: Math.max(0, ...forge.comments.map(({ id }) => id)) + 1, author, text };
  forge.comments.push(comment);
  return comment;
}

function changeComment(forge: Forge, { id, method, text }: { id: number; method: string; text: string }): Answer {
  const index = forge.comments.findIndex((comment) => comment.id === id);
  const comment = forge.comments[index];
  if (comment === undefined) return { status: 404, value: { message: 'Not Found' } };
  if (method === 'DELETE') {
    forge.comments.splice(index, 1);
    return { status: 204 };
  }
  comment.text = text;
  return { status: 200, value: {} };
}

function addRequest(forge: Forge, request: Record<'branch' | 'target' | 'title' | 'text', unknown>): unknown {
  const [branch, target, title, text] = [request.branch, request.target, request.title, request.text].map(String) as [
    string,
    string,
    string,
    string,
  ];
  const number = forge.requests.length + 1;
  forge.requests.push({ number, branch, target, title, text, isOpen: true });
  return { number };
}

function changeRequest(
  forge: Forge,
  { number, text, isClosing }: { number: string | undefined; text: unknown; isClosing: boolean },
): Answer | undefined {
  const request = forge.requests.find((one) => String(one.number) === number);
  if (request === undefined) return undefined;
  if (typeof text === 'string') request.text = text;
  if (isClosing) request.isOpen = false;
  return { status: 200, value: {} };
}

// Starts flagwright and git, without a shell.

import { spawn } from 'node:child_process';
import { Failure } from './failure.mjs';

/** Starts flagwright, whose output goes to the log of the job, and returns its exit code. */
export function runFlagwright(args, env) {
  return start('flagwright', args, { env, stdio: ['ignore', 'inherit', 'inherit'] }, (child, resolve) =>
    child.on('close', (code) => resolve(code ?? 1)),
  );
}

/** Starts git and returns its exit code and output; `secrets` appear nowhere. */
export function runGit(args, { env, secrets, input = '' }) {
  return start('git', args, { env, stdio: ['pipe', 'pipe', 'pipe'] }, (child, resolve) => {
    // A git that cannot start, or that reads nothing, closes it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const output = [];
    const errors = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => errors.push(chunk));
    child.on('close', (code) =>
      resolve({ code: code ?? 1, output: textOf(output).trim(), errors: mask(textOf(errors).trim(), secrets) }),
    );
  });
}

/** What git printed, if it did what it was asked. */
export function must(ended, what) {
  if (ended.code === 0) return ended;
  throw new Failure(`${what} failed: ${JSON.stringify(ended.errors)}. Check that the token of the job may do this.`);
}

function start(program, args, options, listen) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, options);
    child.on('error', ({ code }) =>
      reject(new Failure(`${program} cannot be started (${code}). Install it in an earlier step of the job.`)),
    );
    listen(child, resolve);
  });
}

const textOf = (chunks) => Buffer.concat(chunks).toString();

function mask(text, secrets) {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

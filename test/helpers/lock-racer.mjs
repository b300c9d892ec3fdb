/** A process that acquires and releases a lock on request, with the modules that the compiler made. */

import { acquireLock, claimsAt } from '../../node_modules/.cache/flagwright/compiled/src/loop/journal/lock.js';

let release;

function isAlive({ pid }) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function answer({ file, at }) {
  if (file === undefined) {
    await release?.();
    release = undefined;
    process.send('released');
    return;
  }
  while (Date.now() < at);
  const holder = { pid: process.pid, host: 'here' };
  release = await acquireLock(claimsAt(file), { holder, isAlive }).catch((error) => void process.send(error.code));
  if (release !== undefined) process.send('won');
}

process.on('message', (message) => void answer(message));

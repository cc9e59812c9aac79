// Which browser the tests take, on machines that have one or another.
import type { Browser } from 'playwright-core';
import { expect, it } from 'vitest';
import { type Machine, startOn } from './support/browser.ts';

const DOWNLOADED = '/home/me/.cache/ms-playwright/chromium/chrome';

/** A machine with these files, on which all that is started starts but what is named. */
function machine(files: readonly string[], rest: Partial<Machine> = {}, broken: readonly string[] = []): Machine {
  const there = new Set(files);
  return {
    platform: 'linux',
    arch: 'x64',
    env: { PATH: '/usr/local/bin:/usr/bin' },
    isDebianAsRoot: false,
    exists: (file) => there.has(file),
    downloaded: () => DOWNLOADED,
    unpack: async () => '/unpacked/chromium',
    install: async () => void there.add('/usr/bin/chromium'),
    launch: async (file) => {
      if (broken.includes(file)) throw new Error('exec format error');
      return {} as Browser;
    },
    ...rest,
  };
}

const started = async (on: Machine): Promise<string> => (await startOn(on)).executablePath;

it.each<[string, Machine, string]>([
  ['an installed one first', machine(['/usr/bin/chromium', DOWNLOADED]), '/usr/bin/chromium'],
  ['Chrome before Edge', machine(['/usr/bin/microsoft-edge', '/usr/bin/google-chrome']), '/usr/bin/google-chrome'],
  [
    'an application of macOS',
    machine(['/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge'], { platform: 'darwin' }),
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  [
    'a program of Windows',
    machine(['C:\\Programs\\Google\\Chrome\\Application\\chrome.exe'], {
      platform: 'win32',
      env: { PROGRAMFILES: 'C:\\Programs' },
    }),
    'C:\\Programs\\Google\\Chrome\\Application\\chrome.exe',
  ],
  ["Playwright's own", machine([DOWNLOADED]), DOWNLOADED],
  [
    'another than one that does not start',
    machine(['/usr/bin/chromium', DOWNLOADED], {}, ['/usr/bin/chromium']),
    DOWNLOADED,
  ],
  ['the one of the packages', machine([]), '/unpacked/chromium'],
  [
    'as root the one of Debian, where that of the packages does not start',
    machine([], { isDebianAsRoot: true }, ['/unpacked/chromium']),
    '/usr/bin/chromium',
  ],
  ['on arm64 as root the one of Debian', machine([], { arch: 'arm64', isDebianAsRoot: true }), '/usr/bin/chromium'],
])('%s', async (_title, on, executablePath) => {
  expect(await started(on)).toBe(executablePath);
});

it('installs nothing where it may not, or where there is one', async () => {
  const install = () => Promise.reject(new Error('must not be called'));
  expect(await started(machine([DOWNLOADED], { isDebianAsRoot: true, install }))).toBe(DOWNLOADED);
  await expect(startOn(machine([], { arch: 'arm64', install }))).rejects.toThrow(
    /^The tests need a browser\. Install Chrome, Chromium or Edge, or run .*\.$/,
  );
});

it('says what to install where there is none', async () => {
  const on = machine([], { isDebianAsRoot: true, install: () => Promise.reject(new Error('no network')) }, [
    '/unpacked/chromium',
  ]);
  await expect(startOn(on)).rejects.toThrow(
    /Install Chrome, Chromium or Edge.*\n\/unpacked\/chromium does not start: exec format error\nno network/,
  );
});

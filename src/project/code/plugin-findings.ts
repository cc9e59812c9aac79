// Plugins that a project brings: folders in src/plugins, and packages. Sheaf does not run them.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../../type-guards.ts';
import type { CodeFile } from './code-files.ts';
import type { CodeFinding } from './code-finding.ts';
import { counted, listed } from './code-purpose.ts';

/** A plugin of the project's own: its routes are not served. What it registers is found by itself. */
export function localPluginFindings(files: readonly CodeFile[]): CodeFinding[] {
  const plugins = Map.groupBy(
    files.filter(({ role }) => role === 'plugin'),
    ({ owner }) => owner!,
  );
  return [...plugins].map(([name, ofPlugin]) => {
    const routes = ofPlugin.some(({ file }) => /\/routes?(?:\/|\.)/.test(file));
    return {
      file: `src/plugins/${name}`,
      kind: 'plugin',
      subject: null,
      does: `a plugin of ${counted(ofPlugin.length, 'file')}${routes ? ', whose routes are not served' : ''}`,
      closes: 'nothing',
      instead: null,
    };
  });
}

/** Plugins that are part of Strapi, or that serve nothing. */
const QUIET = /^@strapi\/plugin-(?:users-permissions|i18n|cloud|sentry|seo|color-picker)$/;
const PLUGIN_PACKAGE = /^@strapi\/plugin-|strapi\b.*\bplugin\b/;

/** Packages of the project that are plugins; what is in them is not looked at. */
export function packagePluginFindings(project: string): CodeFinding[] {
  const names = Object.keys(asObject(readPackage(project).dependencies)).filter(
    (name) => !QUIET.test(name) && (PLUGIN_PACKAGE.test(name) || isPlugin(project, name)),
  );
  if (names.length === 0) return [];
  return [
    {
      file: 'package.json',
      kind: 'plugin',
      subject: null,
      does: `plugins that are not run: ${listed(names)}`,
      closes: 'nothing',
      instead: null,
    },
  ];
}

/** Whether an installed package says of itself that it is a plugin. */
const isPlugin = (project: string, name: string): boolean =>
  asObject(readPackage(path.join(project, 'node_modules', name)).strapi).kind === 'plugin';

const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

function readPackage(folder: string): Record<string, unknown> {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return {};
  try {
    return asObject(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

// Plugins that a project brings: folders in src/plugins, and packages. Sheaf does not run them.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../check-json.ts';
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
const PLUGIN_PACKAGE = /^@strapi\/plugin-|(?:^|\/)strapi-plugin-/;

/** Packages of the project that are plugins; what is in them is not looked at. */
export function packagePluginFindings(project: string): CodeFinding[] {
  const names = dependencies(project).filter((name) => PLUGIN_PACKAGE.test(name) && !QUIET.test(name));
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

function dependencies(project: string): string[] {
  const file = path.join(project, 'package.json');
  if (!existsSync(file)) return [];
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isObject(content) && isObject(content.dependencies) ? Object.keys(content.dependencies) : [];
  } catch {
    return [];
  }
}

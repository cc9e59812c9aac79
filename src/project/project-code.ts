// Looks for a project's own code: everything beyond what Strapi generates. Strapi would run it, Sheaf does not, and
// what it guards must not be served as if it were not there. The code is read and never run.

import { codeFiles, defaultFile } from './code-files.ts';
import type { CodeFinding, TypeNames } from './code-finding.ts';
import { localPluginFindings, packagePluginFindings } from './plugin-findings.ts';
import type { scanCode } from './scan-code.ts';

export interface ProjectCode {
  readonly findings: readonly CodeFinding[];
}

const scan: typeof scanCode = async (...args) => (await import('./scan-code.ts')).scanCode(...args);

/** `types`: the content-types that the project serves, those of plugins included. */
export async function readProjectCode(project: string, types: Iterable<TypeNames>): Promise<ProjectCode> {
  const files = codeFiles(project);
  const generated: string[] = [];
  const own = files.filter((file) => {
    const found = defaultFile(file);
    if (found?.uid && file.role === 'routes') generated.push(found.uid);
    return found === null;
  });
  const scanned = own.length > 0 ? await scan(own, [...types], generated) : [];
  return { findings: [...scanned, ...localPluginFindings(files), ...packagePluginFindings(project)] };
}

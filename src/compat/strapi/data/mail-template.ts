// Templates of mails as Strapi fills them, by the rules of lodash: `<%= value %>`, `<%- escaped %>`, `<% code %>` and
// `${value}`. A template is code: what stands in it is run, with the data for its names.
import { compileFunction } from 'node:vm';
import { escaped } from '../../../accounts/mail-templates.ts';

const PARTS = /<%-([\s\S]+?)%>|<%=([\s\S]+?)%>|\$\{([^\\}]*(?:\\.[^\\}]*)*)\}|<%([\s\S]+?)%>/g;

/** The template with the data in it; a name that the data does not have is an error. */
export function filledTemplate(template: string, data: object): string {
  const parts: string[] = [];
  let end = 0;
  for (const match of template.matchAll(PARTS)) {
    const [whole, asText, value, inBraces, code] = match;
    parts.push(`$show(${JSON.stringify(template.slice(end, match.index))});`);
    if (code !== undefined) parts.push(code);
    else parts.push(asText === undefined ? `$show(${value ?? inBraces});` : `$showEscaped(${asText});`);
    end = match.index + whole.length;
  }
  parts.push(`$show(${JSON.stringify(template.slice(end))});`);
  let text = '';
  const show = (value: unknown): void => {
    text += value ?? '';
  };
  const showEscaped = (value: unknown): void => show(escaped(String(value ?? '')));
  const code = `with ($data) {\n${parts.join('\n')}\n}`;
  compileFunction(code, ['$data', '$show', '$showEscaped'])(data, show, showEscaped);
  return text;
}

// Markdown as elements of React. Nothing of the text is taken for HTML: tags in it are shown as they are written.
import type { SyntaxNode } from '@lezer/common';
import { GFM, parser } from '@lezer/markdown';
import { createElement, Fragment, type ReactNode } from 'react';
import { isShownUrl } from '../url.ts';

const markdown = parser.configure([GFM]);

interface Source {
  readonly text: string;
  /** Addresses of links by their label. */
  readonly references: ReadonlyMap<string, string>;
}

export function renderMarkdown(text: string): ReactNode {
  const { topNode } = markdown.parse(text);
  const source = { text, references: referencesOf(topNode, text) };
  return blocksOf(topNode, source);
}

const slice = ({ text }: { readonly text: string }, { from, to }: SyntaxNode): string => text.slice(from, to);
const childrenOf = (node: SyntaxNode): SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
};
const labelOf = (text: string): string =>
  text
    .replaceAll(/^\[|\]$/g, '')
    .trim()
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
const urlOf = (text: string): string => text.replaceAll(/^<|>$/g, '').replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');

function referencesOf(top: SyntaxNode, text: string): Map<string, string> {
  const found = new Map<string, string>();
  top.cursor().iterate((node) => {
    if (node.name !== 'LinkReference') return;
    const label = node.node.getChild('LinkLabel');
    const url = node.node.getChild('URL');
    if (!label || !url) return;
    const key = labelOf(slice({ text }, label));
    if (!found.has(key)) found.set(key, urlOf(slice({ text }, url)));
  });
  return found;
}

const blocksOf = (node: SyntaxNode, source: Source): ReactNode =>
  childrenOf(node).map((child) => <Fragment key={child.from}>{blockOf(child, source)}</Fragment>);

function blockOf(node: SyntaxNode, source: Source): ReactNode {
  const heading = /^(?:ATX|Setext)Heading(\d)$/.exec(node.name);
  if (heading) return createElement(`h${heading[1]}`, null, inlineOf(node, source));
  switch (node.name) {
    case 'Paragraph':
      return <p>{inlineOf(node, source)}</p>;
    case 'Task':
      return <p>{taskOf(node, source)}</p>;
    case 'Blockquote':
      return <blockquote>{blocksOf(node, source)}</blockquote>;
    case 'BulletList':
      return <ul>{blocksOf(node, source)}</ul>;
    case 'OrderedList':
      return <ol start={startOf(node, source)}>{blocksOf(node, source)}</ol>;
    case 'ListItem':
      return <li>{blocksOf(node, source)}</li>;
    case 'FencedCode':
    case 'CodeBlock':
      return <pre>{codeOf(node, source)}</pre>;
    case 'HTMLBlock':
    case 'ProcessingInstructionBlock':
      return <pre>{slice(source, node)}</pre>;
    case 'HorizontalRule':
      return <hr />;
    case 'Table':
      return tableOf(node, source);
    default:
      return null;
  }
}

const startOf = (node: SyntaxNode, source: Source): number => {
  const mark = node.getChild('ListItem')?.getChild('ListMark');
  return mark ? Number.parseInt(slice(source, mark), 10) : 1;
};

/** The lines of the code, without the signs of quotes that it stands in. */
const codeOf = (node: SyntaxNode, source: Source): string =>
  node
    .getChildren('CodeText')
    .map((part) => slice(source, part))
    .join('');

function taskOf(node: SyntaxNode, source: Source): ReactNode {
  const marker = node.getChild('TaskMarker');
  const isDone = marker !== null && /x/i.test(slice(source, marker));
  return (
    <>
      <input type="checkbox" checked={isDone} readOnly disabled aria-label={isDone ? 'Done' : 'To do'} />{' '}
      {inlineOf(node, source)}
    </>
  );
}

function tableOf(node: SyntaxNode, source: Source): ReactNode {
  const cells = (row: SyntaxNode, Cell: 'th' | 'td'): ReactNode => (
    <tr key={row.from}>
      {row.getChildren('TableCell').map((cell) => (
        <Cell key={cell.from}>{inlineOf(cell, source)}</Cell>
      ))}
    </tr>
  );
  return (
    <table className="table">
      <thead>{node.getChildren('TableHeader').map((row) => cells(row, 'th'))}</thead>
      <tbody>{node.getChildren('TableRow').map((row) => cells(row, 'td'))}</tbody>
    </table>
  );
}

/** Signs that say what a part is, and are not shown. */
const isSign = ({ name }: SyntaxNode): boolean => name.endsWith('Mark') || name.endsWith('Marker');

/** What stands in a part between two places: text, and parts with a meaning. */
function inlineOf(node: SyntaxNode, source: Source, from = node.from, to = node.to): ReactNode {
  const shown: ReactNode[] = [];
  let at = from;
  for (const child of childrenOf(node)) {
    if (child.from < from || child.to > to) continue;
    shown.push(source.text.slice(at, child.from));
    if (!isSign(child)) shown.push(<Fragment key={child.from}>{partOf(child, source)}</Fragment>);
    at = child.to;
  }
  shown.push(source.text.slice(at, to));
  return trimmed(shown);
}

/** Spaces after a sign are part of the sign. */
const trimmed = (shown: ReactNode[]): ReactNode[] =>
  shown[0] === '' && typeof shown[1] === 'string' ? [shown[1].trimStart(), ...shown.slice(2)] : shown;

function partOf(node: SyntaxNode, source: Source): ReactNode {
  switch (node.name) {
    case 'StrongEmphasis':
      return <strong>{inlineOf(node, source)}</strong>;
    case 'Emphasis':
      return <em>{inlineOf(node, source)}</em>;
    case 'Strikethrough':
      return <del>{inlineOf(node, source)}</del>;
    case 'InlineCode':
      return <code>{inlineOf(node, source)}</code>;
    case 'HardBreak':
      return <br />;
    case 'Escape':
      return slice(source, node).slice(1);
    case 'Entity':
      return entityOf(slice(source, node));
    case 'Link':
      return linkOf(node, source);
    case 'Image':
      return imageOf(node, source);
    case 'Autolink':
    case 'URL':
      return addressOf(urlOf(slice(source, node)));
    case 'Comment':
      return null;
    default:
      return slice(source, node);
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  ndash: '–',
  mdash: '—',
  hellip: '…',
};

function entityOf(text: string): string {
  const number = /^&#(?:x([\da-f]{1,6})|(\d{1,7}));$/i.exec(text);
  if (!number) return ENTITIES[text.slice(1, -1)] ?? text;
  const code = number[1] ? Number.parseInt(number[1], 16) : Number(number[2]);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

/** An address that stands for itself. */
function addressOf(text: string): ReactNode {
  if (/^[\w.+-]+@[\w.-]+$/.test(text)) return <Away url={`mailto:${text}`}>{text}</Away>;
  return <Away url={text.startsWith('www.') ? `https://${text}` : text}>{text}</Away>;
}

/** Where a link leads, and where its text is. */
function targetOf(node: SyntaxNode, source: Source): { url: string | undefined; from: number; to: number } {
  const [open, close] = node.getChildren('LinkMark');
  if (!open || !close) return { url: undefined, from: node.from, to: node.to };
  const url = node.getChild('URL');
  const label = node.getChild('LinkLabel');
  const text = source.text.slice(open.to, close.from);
  const name = label && slice(source, label) !== '[]' ? slice(source, label) : text;
  return {
    url: url
      ? urlOf(slice(source, url))
      : close.nextSibling?.name === 'LinkMark'
        ? ''
        : source.references.get(labelOf(name)),
    from: open.to,
    to: close.from,
  };
}

function linkOf(node: SyntaxNode, source: Source): ReactNode {
  const { url, from, to } = targetOf(node, source);
  if (url === undefined) return slice(source, node);
  return <Away url={url}>{inlineOf(node, source, from, to)}</Away>;
}

const Away = ({ url, children }: { readonly url: string; readonly children: ReactNode }): ReactNode => (
  <a href={isShownUrl(url) ? url : undefined} target="_blank" rel="noopener noreferrer">
    {children}
  </a>
);

/** Only pictures of this server are shown; the page may not load those of others. */
const isOwnPicture = (url: string): boolean => url.startsWith('/') && !url.startsWith('//');

function imageOf(node: SyntaxNode, source: Source): ReactNode {
  const { url, from, to } = targetOf(node, source);
  if (url === undefined) return slice(source, node);
  const alt = source.text.slice(from, to);
  if (isOwnPicture(url)) return <img src={url} alt={alt} loading="lazy" />;
  return <Away url={url}>{`Picture: ${alt || url}`}</Away>;
}

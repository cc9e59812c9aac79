// Rich text in blocks as the API stores it, which is the form that Slate edits as well.
import type { BaseEditor } from 'slate';
import type { HistoryEditor } from 'slate-history';
import type { ReactEditor } from 'slate-react';

export const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'] as const;
export type Mark = (typeof MARKS)[number];

export type BlockText = { type: 'text'; text: string } & { [mark in Mark]?: boolean };
export interface LinkElement {
  type: 'link';
  url: string;
  children: BlockText[];
}
export type Inline = BlockText | LinkElement;

export interface ParagraphElement {
  type: 'paragraph' | 'quote';
  children: Inline[];
}
export interface HeadingElement {
  type: 'heading';
  level: number;
  children: Inline[];
}
export interface CodeElement {
  type: 'code';
  language?: string;
  children: BlockText[];
}
export interface ListItemElement {
  type: 'list-item';
  children: Inline[];
}
export type ListFormat = 'ordered' | 'unordered';
export interface ListElement {
  type: 'list';
  format: ListFormat;
  /** How many lists it is in; Strapi 5 writes it for lists in lists. */
  indentLevel?: number;
  children: (ListItemElement | ListElement)[];
}
export interface ImageElement {
  type: 'image';
  image: { readonly url: string; readonly [key: string]: unknown };
  children: BlockText[];
}
export type Block = ParagraphElement | HeadingElement | CodeElement | ListElement | ImageElement;
export type BlockElement = Block | ListItemElement | LinkElement;

/** The types of elements that hold text and links, and no other elements. */
export const TEXT_BLOCKS: readonly string[] = ['paragraph', 'quote', 'heading', 'code', 'list-item'];
export const BLOCKS: readonly string[] = ['paragraph', 'quote', 'heading', 'code', 'list', 'image'];

/** A list may be in so many others. */
export const MAX_LIST_NESTING = 20;

declare module 'slate' {
  interface CustomTypes {
    Editor: BaseEditor & ReactEditor & HistoryEditor;
    Element: BlockElement;
    Text: BlockText;
  }
}

export const emptyText = (): BlockText => ({ type: 'text', text: '' });
export const emptyParagraph = (): ParagraphElement => ({ type: 'paragraph', children: [emptyText()] });

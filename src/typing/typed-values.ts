// What attributes hold: as entries show it, as filters compare with it, and as bodies give it.

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** JSON as it is given: what was read may be given back. */
export type JsonInput =
  | string
  | number
  | boolean
  | null
  | readonly JsonInput[]
  | { readonly [key: string]: JsonInput | undefined };

/** Rich text in blocks. */
export interface TextNode {
  type: 'text';
  text: string;
  bold?: boolean;
  italic?: boolean;
  underline?: boolean;
  strikethrough?: boolean;
  code?: boolean;
}
export interface LinkNode {
  type: 'link';
  url: string;
  children: TextNode[];
}
export type InlineNode = TextNode | LinkNode;
export interface ListItemNode {
  type: 'list-item';
  children: InlineNode[];
}
export interface ListBlock {
  type: 'list';
  format: 'ordered' | 'unordered';
  children: (ListItemNode | ListBlock)[];
}
export type Block =
  | { type: 'paragraph' | 'quote' | 'code'; children: InlineNode[] }
  | { type: 'heading'; level: 1 | 2 | 3 | 4 | 5 | 6; children: InlineNode[] }
  | ListBlock
  | { type: 'image'; image: { url: string; [key: string]: JsonValue }; children: InlineNode[] };

/** By the type of the attribute; null besides. */
interface Shown {
  string: string;
  text: string;
  richtext: string;
  email: string;
  uid: string;
  enumeration: string;
  password: never;
  integer: number;
  /** Every digit. */
  biginteger: string;
  float: number;
  decimal: number;
  boolean: boolean;
  /** `2026-11-15` */
  date: string;
  /** `22:30:00.000` */
  time: string;
  /** ISO 8601, in UTC */
  datetime: string;
  /** Milliseconds since 1970 */
  timestamp: string;
  json: JsonValue;
  blocks: Block[];
}

interface Given {
  string: string;
  text: string;
  richtext: string;
  email: string;
  uid: string;
  enumeration: string;
  password: string;
  integer: number;
  biginteger: number | bigint | string;
  float: number;
  decimal: number;
  boolean: boolean;
  date: string | Date;
  time: string;
  datetime: string | number | Date;
  timestamp: string | number | Date;
  json: JsonInput;
  blocks: readonly Block[];
}

interface ScalarLike {
  readonly type: keyof Shown;
}

/** What an entry shows, where it is not null. */
export type ShownValue<A> = A extends { readonly values: infer V }
  ? V
  : A extends ScalarLike
    ? Shown[A['type']]
    : never;

/** What a body gives, where it is not null. */
export type GivenValue<A> = A extends { readonly values: infer V }
  ? V
  : A extends ScalarLike
    ? Given[A['type']]
    : never;

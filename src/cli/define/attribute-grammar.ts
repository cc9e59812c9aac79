// Attributes as `sheaf type add` takes them: NAME:TYPE(ARGUMENT,…)! → what a definition says of them.
// Whether names, targets and components fit the project is checked with the whole model.
import { nearestWord } from '../../edit-distance.ts';
import { SetupError } from '../../errors.ts';
import {
  ATTRIBUTE_OPTIONS,
  ATTRIBUTE_TYPES,
  type OptionName,
  type OptionSchema,
  RELATIONS,
} from '../../model/attribute-options.ts';
import { isAttributeType } from '../../model/definitions.ts';
import type { AttributeDefinition, AttributeType } from '../../model/types.ts';

export interface ParsedAttribute {
  readonly name: string;
  readonly definition: AttributeDefinition;
  /** The attribute that the target of a relation gets; null for none. */
  readonly inverse: string | null;
}

const FORM = /^([^:()]+):([A-Za-z]+)(?:\((.*)\)|:([^!?]*))?([!?]?)$/s;

export function parseAttribute(word: string): ParsedAttribute {
  const [, name, type, inside, behind, mark] = FORM.exec(word) ?? [];
  if (name === undefined || type === undefined)
    throw refused(word, ['expected NAME:TYPE, such as title:string!', HELP]);
  if (!isAttributeType(type)) {
    const nearest = nearestWord(type, Object.keys(ATTRIBUTE_TYPES));
    throw refused(word, [
      ...(nearest === null ? [] : [`did you mean ${nearest}?`]),
      `there is no type "${type}"; expected one of ${Object.keys(ATTRIBUTE_TYPES).join(', ')}`,
    ]);
  }
  const text = inside ?? behind ?? '';
  const words = text === '' ? [] : text.split(',').map((one) => one.trim());
  const parsed = new Arguments(word, type).read(words);
  const { inverse, ...options } = parsed;
  const definition = { type, ...options, ...(mark === '!' && { required: true }) };
  return { name, definition, inverse: typeof inverse === 'string' ? inverse : null };
}

const HELP = 'sheaf type add --help shows the grammar';
const refused = (word: string, hints: readonly string[]): SetupError =>
  new SetupError(`The attribute "${word}" cannot be read`, hints);

type Options = Record<string, unknown>;

/** Stands for pluginOptions.i18n.localized. */
const LOCALIZED = 'localized';

class Arguments {
  readonly #word: string;
  readonly #type: AttributeType;
  readonly #options: readonly OptionName[];

  constructor(word: string, type: AttributeType) {
    this.#word = word;
    this.#type = type;
    this.#options = ATTRIBUTE_TYPES[type].options;
  }

  read(words: readonly string[]): Options {
    const plain: string[] = [];
    const options: Options = {};
    for (const one of words) {
      const [, key, value] = /^(\w+)=(.*)$/s.exec(one) ?? [];
      if (key !== undefined) Object.assign(options, this.#option(key, value!));
      else if (this.#isFlag(one)) Object.assign(options, this.#option(one, 'true'));
      else plain.push(one);
    }
    return { ...this.#positional(plain), ...options };
  }

  /** A word of an enumeration or a zone is a value, whatever it is. */
  #isFlag(one: string): boolean {
    if (this.#type === 'enumeration' || this.#type === 'dynamiczone') return false;
    return one === LOCALIZED || (this.#has(one) && ATTRIBUTE_OPTIONS[one].schema.type === 'boolean');
  }

  #has = (name: string): name is OptionName => this.#options.some((option) => option === name);

  #option(key: string, text: string): Options {
    if (key === LOCALIZED)
      return { pluginOptions: { i18n: { localized: this.#value(key, { type: 'boolean' }, text) } } };
    if (this.#has(key)) return { [key]: this.#value(key, ATTRIBUTE_OPTIONS[key].schema, text) };
    const nearest = nearestWord(key, [...this.#options, LOCALIZED]);
    throw refused(this.#word, [
      ...(nearest === null ? [] : [`did you mean ${nearest}?`]),
      `${this.#type} has no option "${key}"; expected one of ${[...this.#options, LOCALIZED].join(', ')}`,
    ]);
  }

  #value(key: string, { type }: OptionSchema, text: string): unknown {
    const kinds: readonly unknown[] = type === undefined ? this.#kindsOfDefault() : [type].flat();
    const number = Number(text);
    if (kinds.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true';
    if (kinds.includes('integer') && /^-?\d+$/.test(text)) return number;
    if (kinds.includes('number') && text !== '' && Number.isFinite(number)) return number;
    if (kinds.includes('string')) return text;
    throw refused(this.#word, [
      kinds.includes('array') || kinds.includes('object')
        ? `${key} is written in the file, by hand`
        : `${key}: expected ${kinds.includes('boolean') ? 'true or false' : 'a number'}`,
    ]);
  }

  /** A default is of the kind that the attribute holds. */
  #kindsOfDefault(): readonly string[] {
    if (this.#type === 'boolean') return ['boolean'];
    if (this.#type === 'json') return ['boolean', 'number', 'string'];
    return this.#type === 'integer' || this.#type === 'float' || this.#type === 'decimal' ? ['number'] : ['string'];
  }

  /** The words that are no options, by their place. */
  #positional(words: readonly string[]): Options {
    switch (this.#type) {
      case 'enumeration':
        return { enum: this.#atLeastOne(words, 'status:enumeration(open,done)') };
      case 'dynamiczone':
        return { components: this.#atLeastOne(words, 'content:dynamiczone(blocks.text,blocks.quote)') };
      case 'media':
        return words.length === 0 ? {} : { allowedTypes: words };
      case 'uid':
        return this.#places(words, ['targetField'], 0);
      case 'component':
        return this.#places(words, ['component'], 1);
      case 'customField':
        return this.#places(words, ['customField'], 1);
      case 'relation':
        return this.#relation(words);
      default:
        return this.#places(words, [], 0);
    }
  }

  #relation(words: readonly string[]): Options {
    const [kind = ''] = words;
    if (!RELATIONS.includes(kind)) {
      const nearest = nearestWord(kind, RELATIONS);
      throw refused(this.#word, [
        ...(nearest === null ? [] : [`did you mean ${nearest}?`]),
        `expected relation(KIND,TARGET), where KIND is one of ${RELATIONS.join(', ')}`,
      ]);
    }
    if (kind === 'morphToOne' || kind === 'morphToMany') return this.#places(words, ['relation'], 1);
    if (kind === 'morphOne' || kind === 'morphMany') return this.#places(words, ['relation', 'target', 'morphBy'], 3);
    return this.#places(words, ['relation', 'target', 'inverse'], 2);
  }

  #places(words: readonly string[], names: readonly string[], least: number): Options {
    const extra = words[names.length];
    if (extra !== undefined && names.length === 0) this.#option(extra, 'true');
    if (extra !== undefined || words.length < least)
      throw refused(this.#word, [
        names.length === 0
          ? `${this.#type} takes options only, as NAME=VALUE`
          : `expected ${this.#type}(${names.map((name, index) => (index < least ? name : `[${name}]`)).join(',')})`,
      ]);
    return Object.fromEntries(words.map((one, index) => [names[index]!, one]));
  }

  #atLeastOne(words: readonly string[], example: string): readonly string[] {
    if (words.length === 0)
      throw refused(this.#word, [`expected at least one word in parentheses, such as ${example}`]);
    return words;
  }
}

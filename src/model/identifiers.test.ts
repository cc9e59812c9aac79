// Pins the names of tables and columns. They are those an existing database already has, so an expectation that no
// longer holds is data that would no longer be found: the code is wrong then, not the test.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_IDENTIFIER_LENGTH } from '../limits.ts';
import {
  columnName,
  componentTableName,
  idColumnName,
  identifier,
  inverseIdColumnName,
  inverseOrderColumnName,
  joinTableName,
  morphTableName,
  orderColumnName,
  snakeCase,
  typeColumnName,
} from './identifiers.ts';

describe('snakeCase', () => {
  it.each([
    ['name', 'name'],
    ['averagePrice', 'average_price'],
    ['meta_title', 'meta_title'],
    ['opening-hours', 'opening_hours'],
    ['HTMLBody', 'html_body'],
    ['isSEO', 'is_seo'],
    ['SEOTitle', 'seo_title'],
    ['X', 'x'],
    ['__inner__name_', 'inner_name'],
  ])('parts words at capitals, hyphens and underscores: %s → %s', (name, snake) => {
    expect(snakeCase(name)).toBe(snake);
  });

  it.each([
    ['pw2', 'pw_2'],
    ['line2Text', 'line_2_text'],
    ['x2y', 'x_2_y'],
    ['top10', 'top_10'],
    ['2cols', '2_cols'],
  ])('takes a number for a word of its own: %s → %s', (name, snake) => {
    expect(snakeCase(name)).toBe(snake);
  });

  it.each([
    ['line1st', 'line_1st'],
    ['the2ndLine', 'the_2nd_line'],
    ['in3rdParty', 'in_3rd_party'],
    ['place_104th', 'place_104th'],
    ['a1ST', 'a_1st'],
    ['LINE4TH', 'line_4th'],
  ])('keeps an ordinal together, in small letters and in capitals: %s → %s', (name, snake) => {
    expect(snakeCase(name)).toBe(snake);
  });

  it.each([
    ['größe', 'grosse'],
    ['título', 'titulo'],
    ['straßenName2', 'strassen_name_2'],
    ['naïveÉtéÀLaCarte', 'naive_ete_a_la_carte'],
    ['Ŀœßĸ', 'loessk'],
    ['l’été', 'lete'],
    ['gro\u0308sse', 'grosse'],
  ])('writes Latin letters without accents: %s → %s', (name, snake) => {
    expect(snakeCase(name)).toBe(snake);
  });

  it.each([
    ['名前', '名前'],
    ['НазваниеТовара', 'названиетовара'],
    ['日本語2', '日本語_2'],
    ['a名前b', 'a名前b'],
    ['Việt', 'việt'],
    ['𠮷野家', '𠮷_野家'],
  ])('keeps letters of other alphabets, which part no words: %s → %s', (name, snake) => {
    expect(snakeCase(name)).toBe(snake);
  });

  it('leaves a snake-cased name as it is', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        expect(snakeCase(words.join('_'))).toBe(words.join('_'));
      }),
    );
  });
});

describe('names that fit', () => {
  it('are those of Strapi 5', () => {
    expect(columnName('averagePrice')).toBe('average_price');
    expect(joinTableName('articles', 'related')).toBe('articles_related_lnk');
    expect(joinTableName('restaurants', 'signatureDish')).toBe('restaurants_signature_dish_lnk');
    expect(joinTableName('components_blocks_picks', 'restaurants')).toBe('components_blocks_picks_restaurants_lnk');
    expect(morphTableName('files', 'related')).toBe('files_related_mph');
    expect(componentTableName('components_shared_heroes')).toBe('components_shared_heroes_cmps');
    expect(idColumnName('article')).toBe('article_id');
    expect(idColumnName('api-token-permission')).toBe('api_token_permission_id');
    expect(inverseIdColumnName('article')).toBe('inv_article_id');
    expect(orderColumnName('restaurant')).toBe('restaurant_ord');
    expect(inverseOrderColumnName('restaurant')).toBe('inv_restaurant_ord');
    expect(typeColumnName('related')).toBe('related_type');
  });

  it('stay whole up to the longest length and are cut one above it', () => {
    const longest = 'a'.repeat(MAX_IDENTIFIER_LENGTH);
    expect(identifier([longest])).toBe(longest);
    expect(identifier([`${longest}a`])).toBe(`${'a'.repeat(MAX_IDENTIFIER_LENGTH - 5)}bd5d6`);
  });
});

describe('names that are too long', () => {
  const type = 'restaurant-inspection-report-of-the-whole-country-and-sea';

  it('keep their beginning and end in five digits of a hash', () => {
    expect(columnName('aVeryLongAttributeNameThatNobodyShouldEverChooseButSomebodyWill')).toBe(
      'a_very_long_attribute_name_that_nobody_should_ever3fc13',
    );
    expect(idColumnName(type)).toBe('restaurant_inspection_report_of_the_whole_countb6cb6_id');
    expect(inverseIdColumnName(type)).toBe('inv_restaurant_inspection_report_of_the_whole_cb6cb6_id');
    expect(orderColumnName(type)).toBe('restaurant_inspection_report_of_the_whole_counb6cb6_ord');
    expect(inverseOrderColumnName(type)).toBe('inv_restaurant_inspection_report_of_the_whole_b6cb6_ord');
    expect(typeColumnName('restaurantInspectionReportOfTheWholeCountryAndTheSea')).toBe(
      'restaurant_inspection_report_of_the_whole_cou41362_type',
    );
    expect(componentTableName('components_restaurant_inspection_reports_of_the_whole_country')).toBe(
      'components_restaurant_inspection_reports_of_tb2b7c_cmps',
    );
  });

  it('share the room evenly between table and attribute', () => {
    expect(joinTableName('restaurant_inspection_reports', 'responsibleInspectionAuthorities')).toBe(
      'restaurant_inspectio8f6eb_responsible_inspectidd641_lnk',
    );
    expect(morphTableName('restaurant_inspection_reports', 'relatedInspectionAuthorities')).toBe(
      'restaurant_inspectio8f6eb_related_inspection_a04fce_mph',
    );
  });

  it('give the room that a short part leaves to the long one', () => {
    expect(joinTableName('tags', 'responsibleInspectionAuthoritiesOfTheWholeCountry')).toBe(
      'tags_responsible_inspection_authorities_of_the5ffdb_lnk',
    );
    expect(joinTableName('restaurant_inspection_reports_of_the_whole_country', 'tags')).toBe(
      'restaurant_inspection_reports_of_the_wholec5fc_tags_lnk',
    );
  });

  const long = fc.stringMatching(/^[a-z]{40,80}$/);

  it('fill the longest length exactly, and are the same every time', () => {
    fc.assert(
      fc.property(long, long, (table, attribute) => {
        const name = joinTableName(table, attribute);
        expect(name).toHaveLength(MAX_IDENTIFIER_LENGTH);
        expect(name).toMatch(/^[a-z]+[0-9a-f]{5}_[a-z]+[0-9a-f]{5}_lnk$/);
        expect(joinTableName(table, attribute)).toBe(name);
      }),
    );
  });

  it('never pass the longest length, whatever their parts', () => {
    const part = fc.stringMatching(/^[a-z]{1,80}$/);
    fc.assert(
      fc.property(part, part, (table, attribute) => {
        const names = [
          columnName(attribute),
          joinTableName(table, attribute),
          morphTableName(table, attribute),
          componentTableName(table),
          idColumnName(table),
          inverseIdColumnName(table),
          orderColumnName(table),
          inverseOrderColumnName(table),
          typeColumnName(attribute),
        ];
        for (const name of names) expect(name.length).toBeLessThanOrEqual(MAX_IDENTIFIER_LENGTH);
      }),
    );
  });

  it('stay distinct where only their ends differ', () => {
    const beginning = 'areas_of_responsibility_of_the_inspection_authority_';
    const names = Array.from({ length: 500 }, (_, index) => columnName(`${beginning}number_${index}`));
    expect(new Set(names).size).toBe(names.length);
  });

  it('are refused where the parts cannot be cut that short', () => {
    const parts = Array.from({ length: 8 }, (_, index) => `part_number_${index}_of_eight`);
    expect(() => identifier(parts)).toThrow(/cannot be shortened to 55 characters/);
  });
});

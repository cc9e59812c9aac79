// Names of common table expressions. A table of a project that had the same name could not be read beside one, so these
// begin like the tables of Sheaf.
import { sql } from 'kysely';
import type { Fragment } from './dialect.ts';

/** The rows that match, where they are counted as well. */
export const MATCHING = sql.id('sheaf_matching');
/** The rows that a page by cursor reads: one more than it shows. */
export const READ_AHEAD = sql.id('sheaf_read_ahead');
/** The rows of the page. */
export const PAGE = sql.id('sheaf_page');
/** The populated rows of a path. */
export const FOUND = sql.id('sheaf_found');
/** The groups of an aggregate. */
export const GROUPS = sql.id('sheaf_groups');
/** One of several parts of a statement, such as the rows of a populated path. */
export const partTable = (index: number): Fragment => sql.id(partName(index));
export const partName = (index: number): string => `sheaf_part_${index}`;
/** The links of the rows in front of a populated path. */
export const linksTable = (index: number): Fragment => sql.id(`sheaf_links_${index}`);

/** There is no such document for the caller. The transaction is rolled back, and its operation answers with nothing. */
export class DocumentNotFound extends Error {}

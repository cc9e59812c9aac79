// The secrets of tokens, as an operator gives them.

export interface GivenSecrets {
  /** What access and refresh tokens are signed with. */
  readonly jwt?: string;
  /** Where that stands, unless it is the variable JWT_SECRET. */
  readonly jwtSource?: string;
  /** Where they are signed with a private key: that key, in PEM form. */
  readonly jwtPrivateKey?: string;
  /** What API tokens are stored under. */
  readonly apiTokenSalt?: string;
}

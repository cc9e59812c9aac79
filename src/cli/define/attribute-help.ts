// How attributes are written on the command line, for the help.
export const GRAMMAR = `\
An attribute is NAME:TYPE, with ! behind it where it is required:
  title:string!                               a string that what is published must have
  body:richtext  text  blocks  email  json  integer  biginteger  float  decimal  boolean  date  time  datetime
Arguments stand in parentheses, or behind another colon, which no shell minds:
  slug:uid(title)         slug:uid:title      a name for URLs, which forms propose from the title
  status:enumeration(open,done,default=open)  one of these
  cover:media  photos:media(multiple,images)  a file; images
  seo:component(shared.seo)                   a component
  links:component(shared.link,repeatable)     a list of them
  content:dynamiczone(blocks.text,blocks.quote)
  author:relation(manyToOne,author)           one author for each, any number for an author
  author:relation(manyToOne,author,articles)  the same, and the attribute articles of author
  cover:customField(plugin::a.b)              a field of a plugin
Options of the type follow: title:string(maxLength=80,unique)!  name:string(localized)  stars:integer(min=1,max=5)`;

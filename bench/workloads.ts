// The nine requests that are measured. `{document}` stands for the documentId of some restaurant. The limit server
// knows these paths by heart, so a change here needs its statement changed as well.

export const WORKLOADS = {
  'read by id': '/api/restaurants/{document}',
  'list, default': '/api/restaurants',
  'list, filter and sort':
    '/api/restaurants?filters[stars][$gte]=3&filters[cuisine][$in][0]=french&filters[cuisine][$in][1]=italian&sort=rating:desc&pagination[pageSize]=25',
  'deep filter, to-one, two hops': '/api/restaurants?filters[chef][country][code][$eq]=AB&fields[0]=name&sort=name',
  'deep filter, to-many':
    '/api/restaurants?filters[categories][name][$startsWith]=cedar&fields[0]=name&fields[1]=stars',
  'populate two relations':
    '/api/restaurants?populate[chef][fields][0]=name&populate[categories][fields][0]=name&pagination[pageSize]=25',
  'populate nested':
    '/api/restaurants?populate[chef][populate][country]=true&populate[dishes][sort]=price&populate[address]=true&pagination[pageSize]=25',
  'filter and populate':
    '/api/restaurants?filters[$or][0][name][$containsi]=amber&filters[$or][1][chef][name][$startsWith]=Cedar&populate[categories]=true&sort=createdAt:desc',
  'deep page': '/api/reviews?pagination[page]=2000&pagination[pageSize]=25&sort=id',
} as const;

export type WorkloadName = keyof typeof WORKLOADS;

export const DOCUMENT_PLACE = '{document}';

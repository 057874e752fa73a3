/** Methods of TypeORM that read. With replication, they ask a replica, unless their manager belongs to a transaction. */
const READS = /^(find|count|exist|sum$|average$|minimum$|maximum$|createQueryBuilder$)/;
const UNBOUND = new Set(['DataSource', 'Repository']);

/**
 * Reads of TypeORM have to say which server answers: a replica is behind the primary. So the manager of a read comes from
 * `PackageDatabase`, `readFromPrimary()`, `readFromReplica()` or a transaction, and not from the data source.
 */
export const primaryReads = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      replica:
        'With replication, a replica would answer, which is behind. Take the manager from read() of PackageDatabase, ' +
        'from readFromPrimary(), or from readFromReplica() if the answer may be late.',
    },
  },
  create(context) {
    const { parserServices } = context.sourceCode;
    const isUnbound = (node) =>
      UNBOUND.has(parserServices.getTypeAtLocation(node).getNonNullableType().symbol?.name);
    const report = (node) => context.report({ node, messageId: 'replica' });
    return {
      MemberExpression(node) {
        const { object, property, parent } = node;
        if (READS.test(property.name) && isUnbound(object)) {
          report(node);
        } else if (property.name === 'manager' && isUnbound(object)) {
          const isWrite = parent.type === 'MemberExpression' && !READS.test(parent.property.name);
          const isAskedForDataSource =
            parent.type === 'CallExpression' && parent.callee.name === 'dataSourceOf';
          if (!isWrite && !isAskedForDataSource) {
            report(node);
          }
        }
      },
      'VariableDeclarator > ObjectPattern.id > Property[key.name="manager"]'(node) {
        if (isUnbound(node.parent.parent.init)) {
          report(node);
        }
      },
      'ImportSpecifier[imported.name="InjectEntityManager"]': report,
    };
  },
};

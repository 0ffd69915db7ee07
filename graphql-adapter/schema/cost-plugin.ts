import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type InputShapeFromFields,
  type PothosOutputFieldConfig,
  type PothosTypeConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import {
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql';
import type { Context } from '../context.ts';
import {
  costOf,
  type FieldCost,
  readKinds,
  type TypeTraits,
  traitsOf,
} from '../limits/field-cost.ts';

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      cost: CostPlugin<Types>;
    }

    interface ObjectTypeOptions<Types extends SchemaTypes = SchemaTypes, Shape = unknown>
      extends TypeTraits {}

    interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      cost?: FieldCost<ParentShape, InputShapeFromFields<Args>>;
    }
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/** Stores the cost of each field for the estimate, and makes resolvers respect the limits. */
class CostPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onTypeConfig(config: PothosTypeConfig): PothosTypeConfig {
    if (config.kind !== 'Object') return config;
    const { isGated, isCacheable } = config.pothosOptions as TypeTraits;
    return { ...config, extensions: { ...config.extensions, traits: { isGated, isCacheable } } };
  }

  override onOutputFieldConfig(
    config: PothosOutputFieldConfig<Types>,
  ): PothosOutputFieldConfig<Types> {
    const { cost } = config.pothosOptions;
    return cost ? { ...config, extensions: { ...config.extensions, cost } } : config;
  }

  override wrapResolve(
    resolve: Resolver<Types>,
    config: PothosOutputFieldConfig<Types>,
  ): Resolver<Types> {
    const { type } = config;
    const { reads } = costOf(config as never);
    const isResult = type.kind === 'Union';
    const isList = type.kind === 'List' && type.type.kind !== 'Enum' && type.type.kind !== 'Scalar';
    if (!reads && !isList && !type.nullable) return resolve;

    const run: GraphQLFieldResolver<unknown, Context, object> = reads
      ? (parent, args, context, info) => {
          const kind =
            typeof reads === 'function' ? reads(parent, args as Record<string, unknown>) : reads;
          return (
            kind &&
            context.reads.read(kind, info, isResult, () => resolve(parent, args, context, info))
          );
        }
      : isList
        ? (parent, args, context, info) =>
            context.lists.present(resolve(parent, args, context, info) as readonly unknown[], info)
        : resolve;

    /** Counts the error if the field is nullable, because such an error stays in the response. */
    function handleError(error: unknown, { budget }: Context): unknown {
      if (type.nullable && !budget.isEnded) budget.countError(error);
      if (!budget.isEnded) throw error;
      return type.kind === 'List' ? [] : null;
    }

    return (parent, args, rawContext, info) => {
      const context = rawContext as Context;
      try {
        const result = run(parent, args, context, info);
        return result instanceof Promise
          ? result.catch((error) => handleError(error, context))
          : result;
      } catch (error) {
        return handleError(error, context);
      }
    };
  }

  /** Checks that each field with company data costs a point. */
  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type) || traitsOf(type).isGated) continue;
      for (const field of Object.values(type.getFields())) {
        const { reads } = costOf(field);
        if (typeof reads === 'function' || (reads && readKinds[reads].isCharged)) continue;
        const returnType = getNamedType(field.type);
        const types = isAbstractType(returnType)
          ? schema.getPossibleTypes(returnType)
          : [returnType];
        if (types.some((one) => traitsOf(one).isGated))
          throw new Error(`${type.name}.${field.name} returns company data but isn’t charged.`);
      }
    }
    return schema;
  }
}

SchemaBuilder.registerPlugin('cost', CostPlugin);
